//! PDFs of spaces.

use bindery::{app::App, areas::authoring::pdf_exports::MakePdf};
use platform::jobs::{Kinds, Runner};
use reqwest::{Method, Response};

use super::{client::Client, world::World};

/// Makes the PDFs that wait.
pub async fn make(app: &App) -> usize {
    let kinds = Kinds::default().with(MakePdf(std::sync::Arc::clone(&app.authoring)));
    Runner::new(app.kernel.jobs.clone(), kinds).run_due().await.unwrap()
}

/// The address of the PDF of the space.
pub async fn url(world: &World, query: &[(&'static str, &str)]) -> String {
    let call = world.admin.client.call("getSpacePDF").space(world.space);
    let call = query.iter().fold(call, |call, (name, value)| call.query(name, *value));
    call.expect(200).await["url"].as_str().unwrap().to_owned()
}

/// The export that an address leads to.
pub fn export(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

pub async fn get(world: &World, url: &str) -> Response {
    request(world, url).send().await.unwrap()
}

pub fn request(world: &World, url: &str) -> reqwest::RequestBuilder {
    let path = url.strip_prefix(&world.service.base).unwrap();
    Client::new(&world.service.base).request(Method::GET, path)
}
