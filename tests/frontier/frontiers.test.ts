import { frontierContract } from "./frontier.contract.ts";
import { engineTeam, shardedTeam, sharedTeam } from "./frontier-team.ts";

frontierContract("sharded", shardedTeam);
frontierContract("sharded by cash", (options) => shardedTeam({ ...options, order: "opic" }));
frontierContract("shared", sharedTeam);
frontierContract("engine", engineTeam);
frontierContract("engine in supersteps", (options) => engineTeam({ ...options, supersteps: true }));
frontierContract("engine by cash", (options) => engineTeam({ ...options, order: "opic" }));
