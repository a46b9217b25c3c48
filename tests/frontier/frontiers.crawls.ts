import { frontierContract } from "./frontier.contract.ts";
import { engineTeam, shardedTeam } from "./frontier-team.ts";

frontierContract("sharded by cash", (options) => shardedTeam({ ...options, order: "opic" }));
frontierContract("engine in supersteps", (options) => engineTeam({ ...options, supersteps: true }));
frontierContract("engine by cash", (options) => engineTeam({ ...options, order: "opic" }));
