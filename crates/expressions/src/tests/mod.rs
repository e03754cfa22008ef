//! Values, syntax, limits and attacks.

mod holding;
mod schema;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Map, Value, json};

use crate::{
    Batch, Condition, Data, EvalError, Evaluator, Expression,
    engine::{Engine, EngineData, EngineJob, Results},
    vocabulary,
};

fn data() -> Data {
    let claims = json!({
        "plan": "pro", "seats": 12, "roles": ["admin", "editor"], "address": { "country": "fr" }, "__proto__": { "x": 1 },
        "unsigned": { "beta": true }
    });
    let space = json!({ "version": "v3.0.4", "food": "soup" });
    let page = json!({ "name": "Grippers" });
    let [Value::Object(claims), Value::Object(space), Value::Object(page)] = [claims, space, page] else {
        panic!("data are objects")
    };
    Data::new(claims, &space, &page)
}

async fn evaluate(sources: &[&str]) -> Vec<Result<String, EvalError>> {
    let expressions = sources.iter().map(|source| match Expression::parse(source) {
        Ok(expression) => expression,
        Err(error) => panic!("{source}: {error}"),
    });
    let batch = Batch {
        conditions: Vec::new(),
        expressions: expressions.collect(),
    };
    Evaluator::default().evaluate(&batch, &data()).await.unwrap().texts
}

async fn value(source: &str) -> Result<String, EvalError> {
    evaluate(&[source]).await.remove(0)
}

async fn holds(sources: &[&str]) -> Vec<bool> {
    let conditions = sources.iter().map(|source| Condition::parse(source).unwrap());
    let batch = Batch {
        conditions: conditions.collect(),
        expressions: Vec::new(),
    };
    Evaluator::default().evaluate(&batch, &data()).await.unwrap().conditions
}

#[tokio::test]
async fn expressions_have_the_values_of_javascript() {
    let cases = [
        ("1 + 1", "2"),
        ("'a' + 1 + true + null", "a1truenull"),
        ("\"My favorite food is \" + space.vars.food", "My favorite food is soup"),
        (
            "space.vars.version === \"v3.0.4\" ? \"Latest\" : \"Outdated\"",
            "Latest",
        ),
        ("page.vars.name", "Grippers"),
        ("page.vars['na' + 'me'].toUpperCase()", "GRIPPERS"),
        ("`<${space.vars.food}, ${1 + 1}>`", "<soup, 2>"),
        ("visitor.claims.address.country", "fr"),
        ("visitor.claims.none", ""),
        ("visitor.claims.none?.deeper.still", ""),
        ("visitor.claims.none ?? 'none'", "none"),
        ("null", ""),
        ("[1, 2]", ""),
        ("x => x", ""),
        ("2 ** 3 ** 2 - -1", "513"),
        ("(-2) ** 2 + 7 % 4 / 2 * 3", "8.5"),
        ("1 < 2 && 2 >= 2 || false", "true"),
        ("!(1 in [1]) + !1", "1"),
        ("typeof visitor.claims.seats", "number"),
        ("1 << 3 | 1 & ~0 ^ 2 >>> 1", "8"),
        ("0x1f + 1e3 + .5 + 1.", "1032.5"),
        ("'\\u00e9\\x41\\u{1f600}\\ud83d\\ude00\\n'", "éA😀😀\n"),
        ("[3, 1, 2].sort().join('-')", "1-2-3"),
        ("[3, 10, 2].sort((a, b) => b - a).join()", "10,3,2"),
        (
            "[1, 2, 3].map(n => n * 2).filter(n => n > 2).reduce((a, b) => a + b, 0)",
            "10",
        ),
        ("[1, [2, [3]]].flat().length + [1, 2].concat([3], 4).length", "7"),
        ("['a', 'b'].indexOf('b') + ['a'].lastIndexOf('c')", "0"),
        ("[1, 2, 3].slice(-2).reverse().toString()", "3,2"),
        ("[1, 2, 3].at(-1) + [1].at(0)", "4"),
        ("[1, 2, 3].find(x => x > 1) + [1, 2].findIndex(x => x > 5)", "1"),
        ("[1].every(x => x) + [1].some(x => !x)", "1"),
        ("Object.keys(space.vars).join()", "version,food"),
        (
            "Object.entries(page.vars).map(e => e[0] + '=' + e[1]).join()",
            "name=Grippers",
        ),
        ("Math.max(1, 2.5) + Math.round(2.5)", "5.5"),
        ("parseInt('12px') + Number('3') + parseFloat('.5')", "15.5"),
        ("(12.345).toFixed(1) + (1.5).toString()", "12.31.5"),
        ("'a,b'.split(',').length", "2"),
        (
            "'abcabc'.replace('b', 'X') + 'abc'.replace(/[a-b]/g, m => m.toUpperCase())",
            "aXcabcABc",
        ),
        ("'v3.0.4'.match(/v(\\d+)/)[1]", "3"),
        ("/^v\\d/.test(space.vars.version)", "true"),
        ("'abc'.slice(1).padStart(4, '*').repeat(2).trim().indexOf('b')", "2"),
        (
            "'ab'.includes('b') && 'ab'.startsWith('a') && 'ab'.endsWith('b')",
            "true",
        ),
        ("'abc'[1] + 'abc'.length + 'abc'.charAt(0)", "b3a"),
        ("[1, 2].map(String).filter(Boolean).length;", "2"),
        ("visitor.claims.é ?? visitor.claims?.é ?? 'x'", "x"),
        (
            "visitor.claims.hasOwnProperty('plan') + ' ' + Object.hasOwn(visitor.claims, 'x')",
            "true false",
        ),
    ];
    let sources: Vec<&str> = cases.iter().map(|(source, _)| *source).collect();
    for ((source, expected), value) in cases.iter().zip(evaluate(&sources).await) {
        assert_eq!(value.as_deref(), Ok(*expected), "{source}");
    }
}

#[tokio::test]
async fn conditions_decide_on_claims() {
    let cases = [
        ("visitor.claims.plan == \"pro\"", true),
        ("visitor.claims.unsigned.beta", true),
        ("!visitor.claims.unsigned.alpha", true),
        (
            "visitor.claims.roles.includes('admin') && visitor.claims.seats > 10",
            true,
        ),
        ("visitor.claims.roles.every(role => role.length > 2)", true),
        ("", true),
        ("  ", true),
        ("visitor.claims.plan == 'free'", false),
        ("visitor.claims.none.deeper", false),
        ("visitor.claims.x", false),
        ("'false'", true),
        ("0", false),
    ];
    let sources: Vec<&str> = cases.iter().map(|(source, _)| *source).collect();
    for ((source, expected), value) in cases.iter().zip(holds(&sources).await) {
        assert_eq!(value, *expected, "{source}");
    }
}

#[tokio::test]
async fn conditions_on_visitors_hold_for_nobody_without_visitors() {
    let space = Map::from_iter([("food".to_owned(), json!("soup"))]);
    let data = Data::without_visitor(&space, &Map::new());
    let sources = [
        "visitor.claims.plan",
        "!visitor.claims.plan",
        "!visitor.claims.unsigned.beta",
        "",
        "space.vars.food == 'soup'",
        "false",
    ];
    let sources = sources.map(str::to_owned);
    let evaluator = Evaluator::default();
    let holding = evaluator.holding(sources.iter().collect(), &data).await.unwrap();
    assert_eq!(holding.iter().collect::<Vec<_>>(), ["", "space.vars.food == 'soup'"]);
    // The same data of a visitor without claims is another query.
    let known = Data::new(Map::new(), &space, &Map::new());
    let holding = evaluator.holding(sources.iter().collect(), &known).await.unwrap();
    assert!(holding.contains("!visitor.claims.plan"), "{holding:?}");
    let batch = Batch {
        conditions: vec![Condition::parse("!visitor.claims.plan").unwrap()],
        expressions: vec![Expression::parse("visitor.claims.name ?? 'all'").unwrap()],
    };
    let outcome = evaluator.evaluate(&batch, &data).await.unwrap();
    assert_eq!(
        (outcome.conditions, outcome.texts),
        (vec![false], vec![Ok("all".to_owned())])
    );
}

#[tokio::test]
async fn visitors_without_claims_have_unsigned_ones() {
    let empty = Data::new(Default::default(), &Default::default(), &Default::default());
    let conditions = ["!visitor.claims.unsigned.beta", "visitor.claims.plan", "page.vars.x"];
    let batch = Batch {
        conditions: conditions.map(|source| Condition::parse(source).unwrap()).to_vec(),
        expressions: Vec::new(),
    };
    let outcome = Evaluator::default().evaluate(&batch, &empty).await.unwrap();
    assert_eq!(outcome.conditions, [true, false, false]);
}

#[test]
fn other_syntax_is_refused_with_its_place() {
    let cases = [
        ("", 0),
        ("visitor.claims.plan = 'pro'", 20),
        ("visitor.claims.plan ==", 22),
        ("a b", 0),
        ("visitor claims", 8),
        ("1 +* 2", 3),
        ("(1", 2),
        ("1)", 1),
        ("[1, 2", 5),
        ("'abc", 0),
        ("`a${1`", 5),
        ("/a", 0),
        ("/a/y", 3),
        ("visitor.claims.x++", 16),
        ("while (1) {}", 0),
        ("[1].map(() => { while (1) {} })", 14),
        ("(() => 1)()", 9),
        ("[String][0]('x')", 11),
        ("{}", 0),
        ("({})", 1),
        ("[...'abc']", 1),
        ("new Date()", 0),
        ("this", 0),
        ("globalThis", 0),
        ("eval('1')", 0),
        ("Function('return 1')", 0),
        ("function () {}", 0),
        ("async () => 1", 0),
        ("import('fs')", 0),
        ("delete visitor.claims", 0),
        ("void 0", 0),
        ("$add(1, 2)", 0),
        ("[].push(1)", 3),
        ("[].map.call([1], x => x)", 7),
        ("[1].map?.(x => x)", 9),
        ("'a'.constructor('b')", 4),
        ("String`a`", 6),
        ("visitor => visitor", 0),
        ("(a, a) => a", 4),
        ("(a = 1) => a", 1),
        ("1n", 0),
        ("017", 0),
        ("1_000", 0),
        ("-1 ** 2", 3),
        ("1 ?? 2 || 3", 2),
        ("1; 2", 3),
        ("1 // 2", 2),
        ("1 /* 2 */", 2),
        ("'\\u{110000}'", 1),
        ("'\\ud83d'", 1),
        ("\\u0061", 0),
        ("#!a", 0),
        ("é", 0),
        ("😀", 0),
        ("é => 1", 0),
    ];
    for (source, at) in cases {
        let error = Expression::parse(source).expect_err(source);
        assert_eq!(error.at, at, "{source}: {error}");
    }
    let deep = format!("{}1{}", "(".repeat(400), ")".repeat(400));
    assert!(Expression::parse(&deep).is_err());
    assert!(Expression::parse(&"!".repeat(1000)).is_err());
    assert!(Expression::parse(&"-".repeat(1000)).is_err());
    assert!(Expression::parse(&"é".repeat(1025)).is_err_and(|error| error.at == 1024));
    assert!(Expression::parse(&format!("'{}'", "é".repeat(1022))).is_ok());
}

#[test]
fn the_dependence_on_the_visitor_is_known() {
    let depends = |source| Expression::parse(source).unwrap().depends_on_visitor();
    assert!(depends("visitor.claims.plan"));
    assert!(depends("[1].map(x => visitor)"));
    assert!(!depends("space.vars.visitor + page.vars['visitor']"));
}

#[tokio::test]
async fn every_method_exists() {
    let of = |name: &str| {
        let places = ["''", "[]", "(1)", "/a/", "Math", "Object", "Array", "space"];
        let all = places.map(|place| format!("typeof {place}.{name} == 'function'"));
        all.join(" || ")
    };
    let sources: Vec<String> = vocabulary::METHODS.iter().map(|name| of(name)).collect();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    for (name, value) in vocabulary::METHODS.iter().zip(evaluate(&sources).await) {
        // Functions of their own.
        let expected = !["isFinite", "isNaN", "isInteger"].contains(name);
        assert_eq!(value, Ok(expected.to_string()), "{name}");
    }
}

/// Evaluates attacks in one batch each: each ends within the time, and without a value.
#[tokio::test]
async fn attacks_end_without_a_value_in_time() {
    let attacks = [
        // Endless recursion, in depth and in breadth.
        "[f => [f].map(f)].map(f => [f].map(f))",
        "[f => [f, f].map(f)].map(f => [f, f].map(f))",
        "[[f => [[f, f], [f, f]].map(x => x[0]).map(g => [g, g].map(g))][0]].map(f => [f, f].map(f))",
        // Long loops.
        "'x'.repeat(10000).split('').map(a => 'x'.repeat(10000).split('')).length",
        "'x'.repeat(10000).split('').reduce(a => a + 1, 0)",
        // Long texts.
        "'x'.repeat(1e9)",
        "'x'.padStart(1e9)",
        "[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0].reduce(a => a + a, 'xxxxxxxxxxxx')",
        "[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0].reduce(a => `${a}${a}`, 'xxxxxxxxxxxx')",
        "[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0].reduce(a => [a, a].join(''), 'xxxxxxxxxxxx')",
        "'x'.repeat(2000)",
        // Large lists.
        "[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0].reduce(a => a.concat(a), [1, 2, 3]).length",
        "[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0].reduce(a => [a, a], [1]).flat(99)",
        // Regular expressions that try every way.
        "/^(a+)+$/.test('a'.repeat(40) + 'b')",
        "/(x+x+)+y/.test('x'.repeat(9000))",
        "'a'.repeat(9000).replace(/(?:a|b){0,3000}c/g, '')",
        "'x'.repeat(5000).split('').map(a => 'x'.repeat(9000).indexOf('x'.repeat(4000) + 'y'))",
    ];
    let evaluator = Evaluator::default();
    for attack in attacks {
        let sources = [attack, "space.vars.food"];
        let batch = Batch {
            conditions: Vec::new(),
            expressions: sources.map(|source| Expression::parse(source).unwrap()).to_vec(),
        };
        let start = Instant::now();
        let outcome = evaluator.evaluate(&batch, &data()).await.unwrap();
        let time = start.elapsed();
        assert_eq!(outcome.texts.first(), Some(&Err(EvalError::LimitReached)), "{attack}");
        assert!(time < Duration::from_secs(3), "{attack}: {time:?}");
        // The engine stays whole, or is made again.
        assert_eq!(
            value_of(&evaluator, "page.vars.name").await,
            Ok("Grippers".to_owned()),
            "{attack}"
        );
    }
}

async fn value_of(evaluator: &Evaluator, source: &str) -> Result<String, EvalError> {
    let batch = Batch {
        conditions: Vec::new(),
        expressions: vec![Expression::parse(source).unwrap()],
    };
    evaluator.evaluate(&batch, &data()).await.unwrap().texts.remove(0)
}

#[tokio::test]
async fn nothing_but_the_data_is_in_reach() {
    let absent = [
        "''.constructor",
        "[].constructor",
        "(1).constructor",
        "true.constructor",
        "/a/.constructor",
        "(x => x).constructor",
        "String.constructor",
        "Math.max.constructor",
        "[].map.constructor",
        "''.slice.prototype",
        "(x => x).call",
        "(x => x)['app' + 'ly']",
        "(x => x).caller",
        "visitor.constructor",
        "visitor['__pro' + 'to__']",
        "[].__proto__",
        "[]['__lookup' + 'Getter__']",
        "visitor.claims.toString",
        "Object.getPrototypeOf",
        "Object.defineProperty",
        "Math.random",
        "Math.constructor",
        "String.fromCharCode",
        "String.raw",
        "Array.from",
        "Array.prototype",
        "[].push",
        "[].fill",
        "''.anchor",
        "space.vars.__proto__",
        "/a/.compile",
    ];
    for (source, value) in absent.iter().zip(evaluate(&absent).await) {
        assert_eq!(value, Ok(String::new()), "{source}");
    }
    // A claim of this name is data.
    assert_eq!(
        value("visitor.claims['__proto__'].x + '' + visitor.claims.x").await,
        Ok("1undefined".to_owned())
    );
}

#[tokio::test]
async fn a_failure_concerns_one_expression() {
    let values = evaluate(&[
        "visitor.claims.a.b",
        "space.vars.food",
        "'x'.repeat(1e9)",
        "page.vars.name",
        "/(/",
    ])
    .await;
    let expected = [
        Err(EvalError::Failed),
        Ok("soup".to_owned()),
        Err(EvalError::LimitReached),
        Ok("Grippers".to_owned()),
        Err(EvalError::Failed),
    ];
    assert_eq!(values, expected);
}

#[tokio::test]
async fn a_batch_has_a_budget() {
    let loops = "'x'.repeat(2000).split('').map(a => a).length";
    let values = evaluate(&[loops; 20]).await;
    assert_eq!(values.first(), Some(&Ok("2000".to_owned())));
    assert_eq!(values.last(), Some(&Err(EvalError::LimitReached)));
}

/// An engine that is dropped with something lost would stop the process.
#[test]
fn engines_without_memory_end_well() {
    let sources = [
        "'x'.repeat(900).split('').map(a => 'x'.repeat(900).split(''))",
        "'x'.repeat(900).split('').map((a, i) => `${i}`).sort().join()",
        "'ab'.repeat(900).replace(/(a)(b)/g, (m, a, b) => b + a)",
        "'ab'.repeat(900).match(/a(b)/g).map(x => [x, [x].concat(x)]).flat(9).length",
        "/(a+)+(b|c){20,200}/.test('a'.repeat(20))",
        "[f => [f].map(f)].map(f => [f].map(f))",
    ];
    let empty = Default::default();
    let data = Arc::new(EngineData::new(&empty, &empty, &empty));
    let mut engines = 0;
    for memory in (1..60).map(|step| 120_000 + step * 20_011) {
        for source in sources {
            let Ok(mut engine) = Engine::with_memory(memory) else {
                continue;
            };
            engines += 1;
            let job = EngineJob {
                data: Arc::clone(&data),
                conditions: Vec::new(),
                texts: vec![Expression::parse(source).unwrap().code],
            };
            let mut results = Results::default();
            drop(engine.evaluate(&job, Instant::now() + Duration::from_millis(20), &mut results));
        }
    }
    assert!(engines > 100, "{engines}");
}
