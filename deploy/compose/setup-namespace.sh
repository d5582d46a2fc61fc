#!/bin/sh
# Creates the namespace of the restores with its retention and registers the search attributes a restore carries.
# Running it again sets the retention and adds what is missing; it ends successfully when everything is there.
# An attribute that exists with another type is an error, since restores could not be found by it.
#
# Environment
#   TEMPORAL_ADDRESS              host:port of the frontend; the temporal command reads its TLS and API key variables too
#   TEMPORAL_NAMESPACE            name of the namespace (default)
#   TEMPORAL_NAMESPACE_RETENTION  how long closed restores stay in Temporal, as a Go duration (168h)
#   SETUP_ATTEMPTS, SETUP_PAUSE   how often and after how many seconds to try again (60, 2)
#   SETUP_SETTLE                  seconds to wait at the end where something was created (3)
set -eu

: "${TEMPORAL_ADDRESS:?TEMPORAL_ADDRESS is not set: expected host:port of the Temporal frontend}"
export TEMPORAL_ADDRESS
export TEMPORAL_NAMESPACE="${TEMPORAL_NAMESPACE:-default}"

retention="${TEMPORAL_NAMESPACE_RETENTION:-168h}"
attempts="${SETUP_ATTEMPTS:-60}"
pause="${SETUP_PAUSE:-2}"
settle="${SETUP_SETTLE:-3}"
created=no

# The same list as in domain/contract.ts; a test compares the two.
search_attributes='RestoreName=Keyword BackupName=Keyword RestorePhase=Keyword RestoreErrors=Int RestoreItems=Int'

# retry WHAT COMMAND...: runs the command until it succeeds; gives up after the given number of attempts.
retry() {
  what="$1"
  shift
  attempt=1
  until "$@"; do
    if [ "$attempt" -ge "$attempts" ]; then
      echo "setup-namespace: $what at $TEMPORAL_ADDRESS failed $attempt times" >&2
      exit 1
    fi
    attempt=$((attempt + 1))
    sleep "$pause"
  done
}

# Another job may create it at the same moment, so a refused creation is followed by another look.
ensure_namespace() {
  if temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
    temporal operator namespace update --namespace "$TEMPORAL_NAMESPACE" --retention "$retention"
    return
  fi
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$retention"
}

# registered_type NAME: prints the type of a search attribute, nothing when there is none.
registered_type() {
  echo "$registered" | awk -v name="$1" '$1 == name { print $2 }'
}

list_search_attributes() {
  registered="$(temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE")"
}

# ensure_search_attribute NAME TYPE
ensure_search_attribute() {
  existing="$(registered_type "$1")"
  if [ "$existing" = "$2" ]; then
    return
  fi
  if [ -n "$existing" ]; then
    echo "setup-namespace: search attribute $1 of namespace '$TEMPORAL_NAMESPACE' has type $existing, expected $2" >&2
    exit 1
  fi
  retry "registering search attribute $1" \
    temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$1" --type "$2"
  created=yes
}

# searchable: does the frontend accept every attribute? It knows them seconds after it has listed them, and until then
# refuses a restore that carries them ("no mapping defined for search attribute").
searchable() {
  query=''
  for attribute in $search_attributes; do
    query="${query:+$query AND }${attribute%%=*} IS NOT NULL"
  done
  temporal workflow count --namespace "$TEMPORAL_NAMESPACE" --query "$query" >/dev/null
}

retry 'the health check' temporal operator cluster health
retry "setting up namespace '$TEMPORAL_NAMESPACE'" ensure_namespace
retry 'listing search attributes' list_search_attributes
for attribute in $search_attributes; do
  ensure_search_attribute "${attribute%%=*}" "${attribute#*=}"
done
retry 'waiting for the search attributes' searchable
# The other services of the server read the list anew every two seconds and cannot be asked.
if [ "$created" = yes ]; then
  sleep "$settle"
fi
echo "setup-namespace: namespace '$TEMPORAL_NAMESPACE' keeps closed restores for $retention and has $search_attributes"
