#!/bin/sh
# Creates Temporal's two databases and brings their schemas to the version of the temporal-sql-tool in use.
# Running it again changes nothing; running it with newer tools upgrades the schemas. Old ones are never dropped.
#
# Environment
#   SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD   how to reach the database; read by temporal-sql-tool
#   DBNAME, VISIBILITY_DBNAME    names of the databases (temporal, temporal_visibility), as the server calls them
#   SETUP_ATTEMPTS, SETUP_PAUSE  how often and after how many seconds to try again to reach the database (60, 2)
set -eu

: "${SQL_HOST:?SQL_HOST is not set: expected the host name of PostgreSQL}"
: "${SQL_USER:?SQL_USER is not set: expected the user that owns the databases}"
: "${SQL_PASSWORD:?SQL_PASSWORD is not set: expected the password of SQL_USER}"
export SQL_HOST SQL_USER SQL_PASSWORD
export SQL_PLUGIN="${SQL_PLUGIN:-postgres12}"
export SQL_PORT="${SQL_PORT:-5432}"

attempts="${SETUP_ATTEMPTS:-60}"
pause="${SETUP_PAUSE:-2}"

# create_database NAME: succeeds when the database exists, waits for a server that is not up yet.
create_database() {
  attempt=1
  until SQL_DATABASE="$1" temporal-sql-tool create; do
    if [ "$attempt" -ge "$attempts" ]; then
      echo "setup-schema: no database '$1' at $SQL_HOST:$SQL_PORT after $attempt attempts" >&2
      exit 1
    fi
    attempt=$((attempt + 1))
    sleep "$pause"
  done
}

# set_up_database NAME SCHEMA: setup-schema makes the version tables only and leaves a later version alone.
set_up_database() {
  create_database "$1"
  SQL_DATABASE="$1" temporal-sql-tool setup-schema --version 0.0
  SQL_DATABASE="$1" temporal-sql-tool update-schema --schema-name "$2"
  echo "setup-schema: database '$1' has the schema $2 of $(temporal-sql-tool --version)"
}

set_up_database "${DBNAME:-temporal}" postgresql/v12/temporal
set_up_database "${VISIBILITY_DBNAME:-temporal_visibility}" postgresql/v12/visibility
