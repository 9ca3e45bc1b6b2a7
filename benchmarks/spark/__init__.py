"""How fast pipelines are on Spark, in CPU seconds of all processes, with the results counted otherwise."""
