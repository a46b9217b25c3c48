import { keptTest } from "./kept-test.ts";
import { steeringTests } from "./steering-tests.ts";

steeringTests("sharded", 1);
steeringTests("sharded", 4);
steeringTests("shared", 2);
for (const threads of [1, 4]) keptTest(threads);
