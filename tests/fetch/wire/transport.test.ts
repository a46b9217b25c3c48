import { openTransport } from "../../../src/fetch/open-transport.ts";
import { transportContract } from "../transport.contract.ts";

transportContract("HTTP/1.1 on sockets", openTransport);
