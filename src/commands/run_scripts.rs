//! `bindery run-scripts`: the process that runs the scripts of one integration, between standard input and standard output.

use anyhow::Context;

pub fn run() -> anyhow::Result<()> {
    scripts::run().context("cannot run scripts")
}
