import { frontierContract } from "./frontier.contract.ts";
import { shardedTeam, sharedTeam } from "./frontier-team.ts";

frontierContract("sharded", shardedTeam);
frontierContract("sharded by cash", (options) => shardedTeam({ ...options, order: "opic" }));
frontierContract("shared", sharedTeam);
