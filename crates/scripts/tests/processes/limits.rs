//! Scripts that take too much.

use std::{sync::Arc, time::Duration};

use scripts::{Reason, ScriptRuntime, Scripts};

use crate::support::{Echo, complete, event, failure, module, run, scripts, settings};

/// Fails with the reason, after which the integration works again.
async fn assert_fails(scripts: &Scripts, script: &str, wall_time: Duration, expected: &[Reason]) {
    let mut bad = event(script);
    bad.wall_time = wall_time;
    let failed = failure(scripts, bad).await;
    assert!(expected.contains(&failed.reason), "{failed:?}");
    let (answer, _) = complete(scripts, event(&module("return new Response('works');"))).await;
    assert_eq!(answer.body, b"works");
}

/// More than any of them takes.
const LONG: Duration = Duration::from_secs(600);

#[tokio::test]
async fn endless_loop_is_interrupted() {
    let mut settings = settings();
    settings.limits.cpu = Duration::from_secs(1);
    let scripts = Scripts::new(settings);
    for body in [
        "for (;;) {}",
        "try { for (;;) {} } catch {} finally { for (;;) {} }",
        "for (;;) await null;",
        "return new Response(`${/^(a+)+$/.test('a'.repeat(64) + 'b')}`);",
        "Map.prototype.values = () => { for (;;) {} }; await new Promise((resolve) => setTimeout(resolve, 1));",
    ] {
        assert_fails(&scripts, &module(body), LONG, &[Reason::Cpu]).await;
    }
    assert_fails(&scripts, "for (;;) {}", LONG, &[Reason::Cpu]).await;
}

/// Each promise waits for the next one: time or memory ends first.
#[tokio::test]
async fn endless_chain_of_promises_ends() {
    let script = module("const again = () => Promise.resolve().then(again); await again();");
    let stuck = "The script waits for a promise that will never be settled.";
    let expected = [Reason::Cpu, Reason::Memory, Reason::Script(stuck.to_owned())];
    assert_fails(&scripts(), &script, LONG, &expected).await;
}

#[tokio::test]
async fn many_short_slices_take_cpu_time_too() {
    let mut settings = settings();
    settings.limits.cpu = Duration::from_millis(300);
    let body = "for (;;) { await new Promise((resolve) => setTimeout(resolve, 0)); for (let i = 0; i < 1e5; i += 1); }";
    assert_fails(&Scripts::new(settings), &module(body), LONG, &[Reason::Cpu]).await;
}

#[tokio::test]
async fn wall_time_ends_an_event_that_waits() {
    let script = module("console.log('logged'); await fetch('https://example.com/never');");
    let mut waiting = event(&script);
    waiting.wall_time = Duration::from_secs(2);
    let scripts = scripts();
    // The start of the process takes of the time, too.
    complete(&scripts, event(&module("return new Response();"))).await;
    let failed = failure(&scripts, waiting).await;
    assert_eq!(failed.reason, Reason::Timeout);
    assert_eq!(failed.logs[0].message, "logged");
    assert_eq!(scripts.processes(), 1);
}

#[tokio::test]
async fn parent_kills_a_loop_in_native_code() {
    let scripts = scripts();
    let body = "for (let i = 0; i < 2000; i += 1) new Uint8Array(5e7).fill(i);";
    assert_fails(&scripts, &module(body), Duration::from_millis(500), &[Reason::Timeout]).await;
}

#[tokio::test]
async fn system_kills_a_loop_in_native_code() {
    let scripts = scripts();
    let body = "const bytes = new Uint8Array(5e7); for (;;) bytes.fill(1);";
    assert_fails(&scripts, &module(body), LONG, &[Reason::Cpu]).await;
}

#[tokio::test]
async fn memory_is_limited() {
    let scripts = scripts();
    for body in [
        "const all = []; for (;;) all.push(new Uint8Array(1e6));",
        "let text = 'x'; for (;;) text += text;",
        "const all = []; for (;;) all.push({ a: [1, 2, 3] });",
        "const all = []; for (;;) { try { all.push(new ArrayBuffer(1e6)); } catch (error) { throw error; } }",
    ] {
        let mut bad = event(&module(body));
        bad.wall_time = LONG;
        let failed = failure(&scripts, bad).await;
        // Texts have a length that they never exceed.
        let is_length = matches!(&failed.reason, Reason::Script(message) if message.contains("string"));
        assert!(is_length || failed.reason == Reason::Memory, "{body}: {failed:?}");
    }
}

#[tokio::test]
async fn recursion_is_limited() {
    let scripts = scripts();
    for body in [
        "const f = () => f() + 1; f();",
        "let a = []; for (let i = 0; i < 1e5; i += 1) a = [a]; JSON.stringify(a);",
    ] {
        let failed = failure(&scripts, event(&module(body))).await;
        assert!(
            matches!(&failed.reason, Reason::Script(message) if message.contains("stack size")),
            "{failed:?}"
        );
    }
}

#[tokio::test]
async fn requests_are_limited() {
    let script = module(
        "let made = 0; try { for (;;) { await fetch('https://example.com/'); made += 1; } } catch (error) { return new Response(`${made} ${error.message}`); }",
    );
    let (answer, _) = run(&scripts(), event(&script)).await.unwrap();
    assert_eq!(answer.body, b"50 An event may make at most 50 requests.");
}

#[tokio::test]
async fn bodies_are_limited() {
    let mut settings = settings();
    settings.limits.body = 1000;
    let scripts = Scripts::new(settings);
    let failed = failure(&scripts, event(&module("return new Response('x'.repeat(1001));"))).await;
    assert_eq!(
        failed.reason,
        Reason::Answer("The body of the answer is too large.".to_owned())
    );
    let request = event(&module(
        "try { await fetch('https://example.com/', { method: 'POST', body: 'x'.repeat(1001) }); } catch (error) { return new Response(error.message); }",
    ));
    let (answer, _) = run(&scripts, request).await.unwrap();
    assert_eq!(answer.body, b"The body of the request is too large.");
    let response = event(&module(
        "try { await fetch('https://example.com/' + 'x'.repeat(1001)); } catch (error) { return new Response(error.message); }",
    ));
    let (answer, _) = run(&scripts, response).await.unwrap();
    assert_eq!(answer.body, b"fetch failed: The body of the response is too large.");
}

#[tokio::test]
async fn headers_are_limited() {
    let scripts = scripts();
    let long = "'x'.repeat(65536)";
    let body = format!("return new Response('', {{ headers: {{ 'x-long': {long} }} }});");
    let failed = failure(&scripts, event(&module(&body))).await;
    assert_eq!(
        failed.reason,
        Reason::Answer("The headers of the answer are too large.".to_owned())
    );
    let request = event(&module(&format!(
        "try {{ await fetch('https://example.com/', {{ headers: {{ 'x-long': {long} }} }}); }} catch (error) {{ return new Response(error.message); }}",
    )));
    let (answer, _) = run(&scripts, request).await.unwrap();
    assert_eq!(answer.body, b"The headers of the request are too large.");
}

#[tokio::test]
async fn scripts_are_parsed_without_running() {
    let scripts = scripts();
    let parse = async |script: &str, runtime| {
        let parsed = scripts.parse("owner".into(), script.into(), runtime).await;
        parsed.map_err(|failure| failure.reason.to_string())
    };
    for (script, runtime) in [
        ("for (;;) {} export default {};", ScriptRuntime::V2),
        (
            "#!/usr/bin/env node\nfor (;;) {} addEventListener('fetch', () => {});",
            ScriptRuntime::V1,
        ),
        ("// the last line is a comment", ScriptRuntime::V1),
    ] {
        assert_eq!(parse(script, runtime).await, Ok(()), "{script}");
    }
    for (script, runtime, expected) in [
        (
            "export default {\n  fetch() { return 1 1; },\n};",
            ScriptRuntime::V2,
            "(line 2, column 22)",
        ),
        ("let a = 1;\nlet a = 2;", ScriptRuntime::V2, "(line 2, column "),
        ("const = 1;", ScriptRuntime::V1, "(line 1, column 7)"),
        ("\n  }", ScriptRuntime::V1, "(line 3, column "),
        ("const text = `", ScriptRuntime::V2, "(line 1, column "),
    ] {
        let message = parse(script, runtime).await.unwrap_err();
        assert!(
            message.starts_with("SyntaxError: ") && message.contains(expected),
            "{script}: {message}"
        );
    }
    let module = "export default {};";
    let message = parse(module, ScriptRuntime::V1).await.unwrap_err();
    assert!(message.starts_with("SyntaxError: "), "{message}");
    assert_eq!(parse(module, ScriptRuntime::V2).await, Ok(()));
}

#[tokio::test]
async fn logs_are_limited() {
    let script = module("for (let i = 0; i < 300; i += 1) console.log('é'.repeat(3000)); return new Response();");
    let (_, finished) = complete(&scripts(), event(&script)).await;
    assert_eq!(finished.logs.len(), 256);
    assert_eq!(finished.logs[0].message, "é".repeat(2048));
}

#[tokio::test]
async fn other_events_of_a_killed_process_may_be_tried_again() {
    let scripts = scripts();
    let innocent = {
        let scripts = scripts.clone();
        let mut event = event(&module("await fetch('https://example.com/never');"));
        event.installation = "other".into();
        tokio::spawn(async move { scripts.run(event, Arc::new(Echo::default())).await })
    };
    while scripts.processes() == 0 {
        tokio::task::yield_now().await;
    }
    let mut bad = event(&module("for (;;) new Uint8Array(5e7).fill(1);"));
    bad.wall_time = Duration::from_millis(500);
    assert_eq!(failure(&scripts, bad).await.reason, Reason::Timeout);
    assert_eq!(innocent.await.unwrap().unwrap_err().reason, Reason::Stopped);
}

#[tokio::test]
async fn program_that_cannot_be_started_is_a_reason() {
    let mut settings = settings();
    settings.program = "/nowhere/program".into();
    let failed = failure(&Scripts::new(settings.clone()), event("")).await;
    assert!(matches!(failed.reason, Reason::Start(_)), "{failed:?}");
    settings.program = "/bin/false".into();
    let failed = failure(&Scripts::new(settings), event("")).await;
    assert!(matches!(failed.reason, Reason::Start(_)), "{failed:?}");
}
