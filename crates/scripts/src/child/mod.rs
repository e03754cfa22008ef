//! A process that runs scripts, the child's side.

mod crypto;
mod engine;
mod host;
mod pipes;
mod sandbox;
mod worker;

use std::{
    io,
    time::{Duration, Instant},
};

use engine::Engine;
use host::Act;
use pipes::{Input, Output, Waited};
use worker::Worker;

use crate::{
    Limits, ScriptRuntime,
    frames::{ToChild, ToParent},
};

/// Runs scripts for the parent at the other end of standard input and output, until the parent closes it.
///
/// The process gives up what it does not need, for good: call it in a program that does nothing else, in its only thread.
pub fn run() -> io::Result<()> {
    let mut input = Input::new();
    let Waited::Frame(ToChild::Limits(limits), _) = input.next(None)? else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the first frame has no limits",
        ));
    };
    // What libraries read from files, and what they ask of the system at first, is read and asked before the sandbox closes.
    warm_up(limits)?;
    let blank = Engine::new(limits).map_err(io::Error::other)?;
    sandbox::enter(&limits)?;
    let output = Output::new();
    output.send(&ToParent::Ready, &[])?;
    Worker::new(limits, output, blank).work(&mut input)
}

const WARM_UP: &str = include_str!("warm_up.js");

fn warm_up(limits: Limits) -> io::Result<()> {
    let generous = Limits {
        slice: WARM_UP_TIME,
        cpu: WARM_UP_TIME,
        load: WARM_UP_TIME,
        ..limits
    };
    let mut engine = Engine::new(generous).map_err(io::Error::other)?;
    engine.begin(Instant::now() + WARM_UP_TIME);
    let done = engine
        .load(WARM_UP, ScriptRuntime::V2)
        .and_then(|()| engine.start("{}", "{}", None));
    done.map_err(|reason| io::Error::other(reason.to_string()))?;
    match engine.take_acts().pop() {
        Some(Act::Done) => Ok(()),
        act => Err(io::Error::other(format!("scripts do not run: {act:?}"))),
    }
}

const WARM_UP_TIME: Duration = Duration::from_secs(5);
