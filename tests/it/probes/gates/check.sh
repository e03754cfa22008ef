#!/bin/sh
# Cargo's RUSTC_WORKSPACE_WRAPPER for a copy of the workspace that only has to be checked. Unlike `cargo check`, which would check all
# dependencies first, this takes them as they were compiled for the server: of the packages of the workspace alone, rustc makes no code,
# and an empty library stands for it. The generator is compiled, because it runs.
rustc=$1
shift
crate='' folder='' suffix='' kind='' previous=''
for argument; do
  shift
  case $previous in
    --crate-name) crate=$argument ;;
    --out-dir) folder=$argument ;;
    --crate-type) kind=$argument ;;
  esac
  case $argument in
    extra-filename=*) suffix=${argument#extra-filename=} ;;
    --emit=*) [ "$crate" = openapi_codegen ] || [ "$crate" = scaffold ] || [ "$crate" = build_script_build ] || argument=--emit=dep-info,metadata ;;
    *=*.rlib) [ -s "${argument#*=}" ] || argument=${argument%.rlib}.rmeta ;;
  esac
  previous=$argument
  set -- "$@" "$argument"
done
"$rustc" "$@" || exit
library=$folder/lib$crate$suffix.rlib
[ "$kind" != lib ] || [ -e "$library" ] || : >"$library"
