import { frontierContract } from "./frontier.contract.ts";
import { engineTeam, shardedTeam, sharedTeam } from "./frontier-team.ts";

// In other orders and in supersteps: frontiers.crawls.ts.
frontierContract("sharded", shardedTeam);
frontierContract("shared", sharedTeam);
frontierContract("engine", engineTeam);
