//! The engine: QuickJS with nothing but the methods of expressions. One thread uses it.

use std::{cell::Cell, collections::HashMap, rc::Rc, sync::Arc, time::Instant};

use rquickjs::{
    CatchResultExt, CaughtError, Context, Ctx, Function, Object, Persistent, Runtime, Value,
    context::{
        EvalOptions,
        intrinsic::{Eval, RegExp, RegExpCompiler},
    },
};
use serde_json::{Map, Value as Json};

use crate::{EvalError, MAX_VALUE};

/// Memory of an engine in bytes, with the expressions that it keeps compiled.
const MEMORY: usize = 8 * 1024 * 1024;

/// The stack of an engine in bytes.
pub const STACK: usize = 256 * 1024;

/// Expressions that an engine keeps compiled.
const MAX_COMPILED: usize = 1000;

/// Limits in the prelude: steps of an expression and of a batch, steps for each call of a function, characters of a text.
const LIMITS: [(&str, u32); 4] = [
    ("expression", 1_000_000),
    ("all", 4_000_000),
    ("call", 400),
    ("text", 10_000),
];

/// The engine cannot be used any more.
#[derive(Debug)]
pub struct Broken;

pub struct Engine {
    // Fields are dropped in this order: what the runtime owns goes first.
    compiled: HashMap<Arc<str>, Persistent<Function<'static>>>,
    functions: [Persistent<Function<'static>>; 3],
    context: Context,
    _runtime: Runtime,
    deadline: Rc<Cell<Option<Instant>>>,
}

impl Engine {
    pub fn new() -> rquickjs::Result<Self> {
        Self::with_memory(MEMORY)
    }

    pub fn with_memory(bytes: usize) -> rquickjs::Result<Self> {
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(bytes);
        runtime.set_max_stack_size(STACK);
        let deadline: Rc<Cell<Option<Instant>>> = Rc::default();
        let of_handler = Rc::clone(&deadline);
        let is_late = move || of_handler.get().is_some_and(|deadline| Instant::now() >= deadline);
        runtime.set_interrupt_handler(Some(Box::new(is_late)));
        let context = Context::custom::<(Eval, RegExpCompiler, RegExp)>(&runtime)?;
        let functions = context.with(|ctx| -> rquickjs::Result<_> {
            let limits = Object::new(ctx.clone())?;
            for (name, limit) in LIMITS {
                limits.set(name, limit)?;
            }
            ctx.globals().set("$limits", limits)?;
            let functions: Object<'_> = ctx.eval(include_str!("prelude.js"))?;
            let saved = |name| {
                functions
                    .get(name)
                    .map(|function: Function<'_>| Persistent::save(&ctx, function))
            };
            Ok([saved("enter")?, saved("check")?, saved("text")?])
        })?;
        Ok(Self {
            compiled: HashMap::new(),
            functions,
            context,
            _runtime: runtime,
            deadline,
        })
    }

    /// Appends the results of the conditions and expressions that have none yet.
    pub fn evaluate(&mut self, job: &EngineJob, deadline: Instant, results: &mut Results) -> Result<(), Broken> {
        self.deadline.set(Some(deadline));
        let context = self.context.clone();
        context.with(|ctx| self.evaluate_in(&ctx, job, deadline, results))
    }

    fn evaluate_in(
        &mut self,
        ctx: &Ctx<'_>,
        job: &EngineJob,
        deadline: Instant,
        results: &mut Results,
    ) -> Result<(), Broken> {
        let [enter, check, text] = self.functions.clone();
        let restored = |function: Persistent<Function<'static>>| function.restore(ctx).map_err(|_| Broken);
        let (enter, check, text) = (restored(enter)?, restored(check)?, restored(text)?);
        let parsed = |json: &str| ctx.json_parse(json).map_err(|_| Broken);
        let arguments = (
            parsed(&job.data.visitor)?,
            parsed(&job.data.space)?,
            parsed(&job.data.page)?,
        );
        enter.call::<_, ()>(arguments).map_err(|_| Broken)?;
        let is_late = || Instant::now() >= deadline;
        for code in job.conditions.iter().skip(results.conditions.len()) {
            let value = if is_late() {
                Err(EvalError::LimitReached)
            } else {
                self.call(ctx, &check, code)?
            };
            results.conditions.push(value);
        }
        for code in job.texts.iter().skip(results.texts.len()) {
            let value = if is_late() {
                Err(EvalError::LimitReached)
            } else {
                self.call(ctx, &text, code)?
            };
            let is_short = |value: &String| value.chars().nth(MAX_VALUE).is_none();
            let value = value.and_then(|value| Some(value).filter(is_short).ok_or(EvalError::LimitReached));
            results.texts.push(value);
        }
        // Nothing of one caller stays for the next.
        enter.call::<_, ()>(((), (), ())).map_err(|_| Broken)
    }

    fn call<'js, T: rquickjs::FromJs<'js>>(
        &mut self,
        ctx: &Ctx<'js>,
        runner: &Function<'js>,
        code: &Arc<str>,
    ) -> Result<Result<T, EvalError>, Broken> {
        let function = match self.compile(ctx, code) {
            Ok(function) => function,
            Err(error) => return outcome(error).map(Err),
        };
        match runner.call((function,)).catch(ctx) {
            Ok(value) => Ok(Ok(value)),
            Err(error) => outcome(error).map(Err),
        }
    }

    fn compile<'js>(&mut self, ctx: &Ctx<'js>, code: &Arc<str>) -> Result<Function<'js>, CaughtError<'js>> {
        if let Some(compiled) = self.compiled.get(code) {
            return compiled.clone().restore(ctx).catch(ctx);
        }
        let mut options = EvalOptions::default();
        options.strict = true;
        let function: Function<'_> = ctx.eval_with_options(&**code, options).catch(ctx)?;
        if self.compiled.len() >= MAX_COMPILED {
            self.compiled.clear();
        }
        self.compiled
            .insert(Arc::clone(code), Persistent::save(ctx, function.clone()));
        Ok(function)
    }
}

/// The data of a batch as JSON: `visitor`, `space` and `page`.
#[derive(PartialEq, Eq, Hash)]
pub struct EngineData {
    /// `false`: conditions that depend on the visitor do not hold.
    pub knows_visitor: bool,
    visitor: String,
    space: String,
    page: String,
}

impl EngineData {
    pub fn new(claims: &Map<String, Json>, space: &Map<String, Json>, page: &Map<String, Json>) -> Self {
        let object = |name: &str, members: &Map<String, Json>| Json::from_iter([(name, members.clone())]).to_string();
        Self {
            knows_visitor: true,
            visitor: object("claims", claims),
            space: object("vars", space),
            page: object("vars", page),
        }
    }

    pub fn without_visitor(self) -> Self {
        Self {
            knows_visitor: false,
            ..self
        }
    }

    pub fn bytes(&self) -> usize {
        [&self.visitor, &self.space, &self.page]
            .into_iter()
            .map(String::len)
            .sum()
    }
}

/// Conditions and expressions as code, to evaluate on the same data.
pub struct EngineJob {
    pub data: Arc<EngineData>,
    pub conditions: Vec<Arc<str>>,
    pub texts: Vec<Arc<str>>,
}

#[derive(Debug, Default)]
pub struct Results {
    pub conditions: Vec<Result<bool, EvalError>>,
    pub texts: Vec<Result<String, EvalError>>,
}

impl Results {
    /// The next one broke the engine.
    pub fn push_broken(&mut self, job: &EngineJob) {
        if self.conditions.len() < job.conditions.len() {
            self.conditions.push(Err(EvalError::LimitReached));
        } else if self.texts.len() < job.texts.len() {
            self.texts.push(Err(EvalError::LimitReached));
        }
    }

    pub fn is_complete(&self, job: &EngineJob) -> bool {
        self.conditions.len() == job.conditions.len() && self.texts.len() == job.texts.len()
    }
}

/// Tells faults of expressions from limits. An engine without memory is made again, because its parts may be incomplete.
fn outcome(error: CaughtError<'_>) -> Result<EvalError, Broken> {
    match error {
        CaughtError::Exception(exception) => match exception.message().as_deref() {
            Some("out of memory") | None => Err(Broken),
            Some("$limit" | "Maximum call stack size exceeded" | "interrupted") => Ok(EvalError::LimitReached),
            Some(_) => Ok(EvalError::Failed),
        },
        CaughtError::Value(value) => thrown(&value),
        CaughtError::Error(_) => Ok(EvalError::Failed),
    }
}

/// The engine throws `null` when it has no memory for an error.
fn thrown(value: &Value<'_>) -> Result<EvalError, Broken> {
    if value.is_null() {
        Err(Broken)
    } else {
        Ok(EvalError::Failed)
    }
}
