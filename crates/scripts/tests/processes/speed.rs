//! How long events take. Run it with an optimized build: `cargo test --release -p scripts speed -- --ignored --nocapture`.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use scripts::Scripts;

use crate::support::{Echo, complete, event, module, settings};

/// The script, with as much code after it as a bundle of the usual size has.
fn bundle() -> String {
    let filler = (0..700).fold(String::new(), |text, index| {
        text + &format!("export function unused{index}(a, b) {{ const all = [a, b]; for (const one of all) if (one > {index}) return {{ one }}; return null; }}\n")
    });
    module("const form = await request.formData(); return Response.json({ type: JSON.parse(form.get('event')).type });")
        + &filler
}

fn report(name: &str, mut times: Vec<Duration>) {
    times.sort();
    println!(
        "{name}: median {:?}, longest {:?}",
        times[times.len() / 2],
        times[times.len() - 1]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures"]
async fn speed() {
    let script: Arc<str> = bundle().into();
    let mut event = event("");
    event.script = Arc::clone(&script);
    println!("script: {} bytes", script.len());
    let mut cold = Vec::new();
    for _ in 0..20 {
        let scripts = Scripts::new(settings());
        let begun = Instant::now();
        complete(&scripts, event.clone()).await;
        cold.push(begun.elapsed());
    }
    report("cold, without a spare process", cold);
    let scripts = Scripts::new(settings());
    let mut cold = Vec::new();
    for integration in 0..16 {
        event.integration = integration.to_string().into();
        let begun = Instant::now();
        complete(&scripts, event.clone()).await;
        cold.push(begun.elapsed());
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    report("cold, with a spare process", cold);
    let mut warm = Vec::new();
    for _ in 0..1000 {
        let begun = Instant::now();
        complete(&scripts, event.clone()).await;
        warm.push(begun.elapsed());
    }
    report("warm", warm);
    let begun = Instant::now();
    let runs: Vec<_> = (0..5000)
        .map(|index: u32| {
            let (scripts, mut event) = (scripts.clone(), event.clone());
            event.integration = (index % 4).to_string().into();
            tokio::spawn(async move { scripts.run(event, Arc::new(Echo::default())).await.map(drop).unwrap() })
        })
        .collect();
    for run in runs {
        run.await.unwrap();
    }
    println!(
        "{:.0} events/s of 4 integrations",
        5000.0 / begun.elapsed().as_secs_f64()
    );
}
