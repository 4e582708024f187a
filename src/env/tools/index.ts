/** Tools: a shop's customer service, played with typed tools against a database, in the shape of τ-bench. */
