"""A sink of Spark for the page: `changes.writeStream.format("antelog")`."""
