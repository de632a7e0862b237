"""Looking after results: what is wrong with them (`inspect`), mending (`repair`), tidying (`clean`)."""
