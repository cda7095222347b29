import { embedderContract } from "./embedder.contract.ts";
import { lexicalEmbedder } from "./lexical.ts";

embedderContract("lexical", lexicalEmbedder);
