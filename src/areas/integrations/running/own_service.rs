//! The service of this process, for requests of scripts that need not leave the process.

use std::sync::{Arc, OnceLock, Weak};

use entity::ids::IntegrationId;
use futures_util::future::BoxFuture;
use platform::outbound::{IncomingResponse, OutgoingRequest};
use poem::{Request, Response, http::Uri};

/// Answers requests as if they came from outside.
pub trait Serve: Send + Sync {
    fn serve(&self, request: Request) -> BoxFuture<'_, Response>;
}

/// Marks a request of a script, with what stands for the address of its sender.
#[derive(Clone, Copy)]
pub struct OwnRequest {
    pub sender: u128,
}

/// The service, which is set when it is composed. Cloning is cheap.
#[derive(Clone, Default)]
pub struct OwnService(Arc<OnceLock<Weak<dyn Serve>>>);

impl OwnService {
    /// The service owns the contexts, so that it is not held here. A second one in the process changes nothing.
    pub fn set(&self, service: Weak<dyn Serve>) {
        // Fails if there is one.
        let _ = self.0.set(service);
    }

    /// Answers a request of a script. Tokens decide what it may do, as for any other request. An error is a message for the script.
    pub async fn call(
        &self,
        integration: IntegrationId,
        path: &str,
        request: OutgoingRequest,
        max_body: usize,
    ) -> Result<IncomingResponse, String> {
        let service = self.0.get().and_then(Weak::upgrade);
        let service = service.ok_or("The server is starting or stopping.")?;
        let uri: Uri = path.parse().map_err(|_| "The URL is not valid.")?;
        let OutgoingRequest {
            method, headers, body, ..
        } = request;
        let mut request = Request::builder().method(method).uri(uri).body(body);
        *request.headers_mut() = headers;
        request.set_data(OwnRequest {
            sender: integration.as_uuid().as_u128(),
        });
        let (parts, body) = service.serve(request).await.into_parts();
        let body = body.into_bytes_limit(max_body).await;
        let body = body.map_err(|_| format!("The response has more than {max_body} bytes."))?;
        Ok(IncomingResponse::new(parts.status, parts.headers, body))
    }
}
