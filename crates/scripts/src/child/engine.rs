//! A QuickJS runtime with the prelude, for one version of an integration on one installation.

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use rquickjs::{
    ArrayBuffer, CatchResultExt, CaughtError, Context, Ctx, Function, Module, Object, Persistent, Result, Runtime,
    Value, context::EvalOptions,
};

use super::{
    host::{self, Act, Interrupt, Shared},
    sandbox::{cpu_time, extend_cpu},
};
use crate::{Limits, Reason, ScriptRuntime, frames::ResponseHead};

const PRELUDE: &str = concat!(
    "(host) => {'use strict';",
    include_str!("prelude/core.js"),
    include_str!("prelude/url.js"),
    include_str!("prelude/streams.js"),
    include_str!("prelude/body.js"),
    include_str!("prelude/http.js"),
    include_str!("prelude/crypto.js"),
    include_str!("prelude/events.js"),
    "}",
);

/// The name of a script in its stacks.
const SCRIPT_NAME: &str = "script.js";

/// The beginning of a function around a classic script, which is parsed but does not run.
const NOT_CALLED: &str = "()=>{";

/// CPU time for the prelude.
const PRELUDE_TIME: Duration = Duration::from_secs(5);

type Saved = Persistent<Function<'static>>;

/// Work that a script waits for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Waits {
    Timer(Duration),
    Replies,
    /// Nothing will ever wake it.
    Nothing,
}

pub struct Engine {
    // Fields are dropped in this order: what the runtime owns goes first.
    load: Saved,
    start: Saved,
    reply: Saved,
    run_timer: Saved,
    waits: Saved,
    end: Saved,
    context: Context,
    runtime: Runtime,
    shared: Rc<Shared>,
    limits: Limits,
    /// CPU time that is left to the event.
    cpu_left: Duration,
}

impl Engine {
    /// A runtime with the prelude, without a script.
    pub fn new(limits: Limits) -> Result<Self> {
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(limits.heap);
        runtime.set_max_stack_size(limits.stack);
        let shared: Rc<Shared> = Rc::default();
        shared.cpu_end.set(cpu_time() + PRELUDE_TIME);
        let of_handler = Rc::clone(&shared);
        runtime.set_interrupt_handler(Some(Box::new(move || of_handler.is_over())));
        let context = Context::full(&runtime)?;
        let [load, start, reply, run_timer, waits, end] = context.with(|ctx| -> Result<_> {
            let prelude: Function<'_> = ctx.eval(PRELUDE)?;
            let made: Object<'_> = prelude.call((host::object(&ctx, &shared, limits)?,))?;
            let saved = |name| {
                made.get(name)
                    .map(|function: Function<'_>| Persistent::save(&ctx, function))
            };
            Ok([
                saved("load")?,
                saved("start")?,
                saved("reply")?,
                saved("runTimer")?,
                saved("waits")?,
                saved("end")?,
            ])
        })?;
        Ok(Self {
            load,
            start,
            reply,
            run_timer,
            waits,
            end,
            context,
            runtime,
            shared,
            limits,
            cpu_left: Duration::ZERO,
        })
    }

    /// Prepares for an event. What the script does until `end` counts for it.
    pub fn begin(&mut self, deadline: Instant) {
        self.cpu_left = self.limits.cpu;
        self.shared.deadline.set(Some(deadline));
        self.shared.requests.set(0);
        self.shared.acts.borrow_mut().clear();
    }

    /// Loads the script, within an allowance of its own.
    pub fn load(&mut self, source: &str, runtime: ScriptRuntime) -> std::result::Result<(), Reason> {
        let load = self.load.clone();
        let loaded = self.slice(self.limits.load, |ctx| {
            let load = load.restore(ctx)?;
            match runtime {
                ScriptRuntime::V1 => {
                    let mut options = EvalOptions::default();
                    options.strict = false;
                    options.filename = Some(SCRIPT_NAME.to_owned());
                    ctx.eval_with_options::<(), _>(source, options)?;
                    load.call::<_, ()>((false,))
                }
                ScriptRuntime::V2 => {
                    let (module, promise) = Module::declare(ctx.clone(), SCRIPT_NAME, source)?.eval()?;
                    promise.finish::<()>()?;
                    load.call::<_, ()>((true, module.get::<_, Value<'_>>("default")?))
                }
            }
        });
        loaded.map(drop)
    }

    /// Parses a script without running it.
    pub fn parse(&mut self, source: &str, runtime: ScriptRuntime) -> std::result::Result<(), Reason> {
        let parsed = self.slice(self.limits.load, |ctx| match runtime {
            ScriptRuntime::V1 => {
                let mut options = EvalOptions::default();
                options.strict = false;
                options.filename = Some(SCRIPT_NAME.to_owned());
                // A line with the name of a program is a comment at the beginning of a script, but not in a function.
                let comment = source.strip_prefix("#!").map(|rest| format!("//{rest}"));
                let source = comment.as_deref().unwrap_or(source);
                ctx.eval_with_options(format!("{NOT_CALLED}{source}\n}}"), options)
            }
            ScriptRuntime::V2 => Module::declare(ctx.clone(), SCRIPT_NAME, source).map(drop),
        });
        let before = match runtime {
            ScriptRuntime::V1 => NOT_CALLED.len(),
            ScriptRuntime::V2 => 0,
        };
        parsed.map(drop).map_err(|reason| match reason {
            Reason::Script(message) => Reason::Script(with_position(&message, before)),
            reason => reason,
        })
    }

    pub fn start(&mut self, event: &str, environment: &str, body: Option<&[u8]>) -> std::result::Result<(), Reason> {
        let start = self.start.clone();
        self.work(|ctx| {
            let body = body.map(|body| ArrayBuffer::new_copy(ctx.clone(), body)).transpose()?;
            start
                .restore(ctx)?
                .call::<_, Value<'_>>((event, environment, body))
                .map(drop)
        })
    }

    pub fn reply(
        &mut self,
        request: u32,
        response: std::result::Result<ResponseHead, String>,
        body: &[u8],
    ) -> std::result::Result<(), Reason> {
        let reply = self.reply.clone();
        self.work(|ctx| {
            let (status, headers): (_, Vec<String>) = match response {
                Ok(head) => {
                    let flat = head.headers.into_iter().flat_map(|(name, value)| [name, value]);
                    (i32::from(head.status), flat.collect())
                }
                Err(message) => (-1, vec![message]),
            };
            let body = ArrayBuffer::new_copy(ctx.clone(), body)?;
            reply.restore(ctx)?.call::<_, ()>((request, status, headers, body))
        })
    }

    pub fn run_timer(&mut self) -> std::result::Result<(), Reason> {
        let run_timer = self.run_timer.clone();
        self.work(|ctx| run_timer.restore(ctx)?.call::<_, ()>(()))
    }

    pub fn waits(&mut self) -> std::result::Result<Waits, Reason> {
        let waits = self.waits.clone();
        let milliseconds = self
            .slice(self.limits.slice, |ctx| waits.restore(ctx)?.call::<_, f64>(()))?
            .0;
        Ok(match Duration::try_from_secs_f64(milliseconds / 1000.0) {
            Ok(wait) => Waits::Timer(wait),
            Err(_) if milliseconds == -1.0 => Waits::Replies,
            Err(_) => Waits::Nothing,
        })
    }

    /// Drops what the event left behind.
    pub fn end(&mut self) -> std::result::Result<(), Reason> {
        let end = self.end.clone();
        let ended = self.slice(self.limits.slice, |ctx| end.restore(ctx)?.call::<_, ()>(()));
        self.shared.deadline.set(None);
        ended.map(drop)
    }

    pub fn take_acts(&self) -> Vec<Act> {
        self.shared.acts.take()
    }

    /// Why an event can never end.
    pub fn stuck_reason(&self) -> Reason {
        let used = u64::try_from(self.runtime.memory_usage().malloc_size).unwrap_or_default();
        let limit = u64::try_from(self.limits.heap).unwrap_or(u64::MAX);
        if used > limit / 8 * 7 {
            return Reason::Memory;
        }
        Reason::Script("The script waits for a promise that will never be settled.".to_owned())
    }

    /// Work for the event, which takes of its CPU time.
    fn work(&mut self, work: impl FnOnce(&Ctx<'_>) -> Result<()>) -> std::result::Result<(), Reason> {
        let allowance = self.limits.slice.min(self.cpu_left);
        let ((), used) = self.slice(allowance, work)?;
        self.cpu_left = self.cpu_left.saturating_sub(used);
        Ok(())
    }

    /// Calls the engine and runs all that has become ready by it. Returns the CPU time that it took, too.
    fn slice<T>(
        &self,
        allowance: Duration,
        work: impl FnOnce(&Ctx<'_>) -> Result<T>,
    ) -> std::result::Result<(T, Duration), Reason> {
        // Should it fail, the limit that holds is the one before.
        let _ = extend_cpu();
        let begun = cpu_time();
        self.shared.cpu_end.set(begun + allowance);
        let result = self.context.with(|ctx| {
            let result = work(&ctx)
                .catch(&ctx)
                .map_err(|error| reason(&error, self.limits.log_bytes));
            while self.shared.interrupted.get().is_none() && ctx.execute_pending_job() {}
            result
        });
        match self.shared.interrupted.get() {
            Some(Interrupt::Cpu) => Err(Reason::Cpu),
            Some(Interrupt::Time) => Err(Reason::Timeout),
            None => Ok((result?, cpu_time().saturating_sub(begun))),
        }
    }
}

/// Tells faults of scripts from a lack of memory, for which the engine throws `null` when there is none for an error either.
fn reason(error: &CaughtError<'_>, bytes: usize) -> Reason {
    let message = match error {
        CaughtError::Value(value) if value.is_null() => return Reason::Memory,
        CaughtError::Error(rquickjs::Error::WouldBlock) => "The script waits while it is loaded.".to_owned(),
        CaughtError::Exception(exception) => {
            let message = exception.message().unwrap_or_default();
            // The stack begins with name and message, unless the script has changed that.
            exception
                .stack()
                .filter(|stack| stack.contains(&message))
                .unwrap_or(message)
        }
        CaughtError::Value(_) | CaughtError::Error(_) => error.to_string(),
    };
    if is_out_of_memory(&message) {
        return Reason::Memory;
    }
    let end = message.floor_char_boundary(bytes);
    Reason::Script(message.get(..end).unwrap_or_default().to_owned())
}

/// The message of an error with the position in the script from its stack. `before`: characters before the first line of the script.
fn with_position(message: &str, before: usize) -> String {
    let first_line = message.lines().next().unwrap_or_default();
    let position = message.split(&format!("({SCRIPT_NAME}:")).nth(1).and_then(|rest| {
        let (line, column) = rest.split(')').next()?.split_once(':')?;
        let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
        let before = if line == 1 { before } else { 0 };
        Some((line, column.saturating_sub(before)))
    });
    match position {
        Some((line, column)) => format!("{first_line} (line {line}, column {column})"),
        None => first_line.to_owned(),
    }
}

/// Returns whether a message of the engine says that memory ran out.
pub fn is_out_of_memory(message: &str) -> bool {
    message.contains("out of memory")
}
