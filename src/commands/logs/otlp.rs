//! Spans on their way to an OpenTelemetry collector.

use std::fmt;

use bytes::Bytes;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracer, SdkTracerProvider},
};
use platform::outbound;
use sea_orm::prelude::async_trait::async_trait;
use tokio::runtime::Handle;
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;
use url::Url;

const SERVICE: &str = "bindery";

pub struct Traces(SdkTracerProvider);

impl Traces {
    /// `collector` is the address without `/v1/traces`.
    pub fn start(collector: &Url) -> anyhow::Result<Self> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Client {
                client: outbound::of_operator()?,
                runtime: Handle::current(),
            })
            .with_endpoint(format!("{}/v1/traces", collector.as_str().trim_end_matches('/')))
            .build()?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(Resource::builder().with_service_name(SERVICE).build());
        Ok(Self(provider.build()))
    }

    pub fn layer<S: Subscriber + for<'l> LookupSpan<'l>>(&self) -> OpenTelemetryLayer<S, SdkTracer> {
        tracing_opentelemetry::layer().with_tracer(self.0.tracer(SERVICE))
    }

    /// Sends what waits.
    pub fn stop(&self) {
        // The log ends with the traces, and there is no other place to report a failure.
        drop(self.0.shutdown());
    }
}

/// The client for services of the operator. Spans are sent by a thread without a runtime.
struct Client {
    client: reqwest::Client,
    runtime: Handle,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (client, request) = (self.client.clone(), request.try_into()?);
        let sent = self.runtime.spawn(async move {
            let response = client.execute(request).await?;
            let status = response.status();
            Ok::<_, reqwest::Error>((status, response.bytes().await?))
        });
        let (status, body) = sent.await??;
        Ok(Response::builder().status(status).body(body)?)
    }
}
