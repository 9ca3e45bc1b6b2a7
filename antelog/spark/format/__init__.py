"""Programs as a data source of Spark: `spark.read.format("antelog")`."""
