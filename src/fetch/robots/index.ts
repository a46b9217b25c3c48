// What `orbweaver/robots` exports.
export { explainRobots, type RobotsExplanation } from "./robots-explain.ts";
export { RobotsRules, type RobotsVerdict } from "./robots-rules.ts";
