//! A proxy of hudsucker with the policy of the harness in a handler: hosts, one placeholder in Authorization, the
//! fields that pass, and a line for each exchange.
//!
//! Usage: hudsucker ADDRESS CA_CERT CA_KEY AUDIT ORIGIN_CA HOST

use hudsucker::{
    Body, HttpContext, HttpHandler, Proxy, RequestOrResponse,
    certificate_authority::RcgenAuthority,
    hyper::{Method, Request, Response, StatusCode, header::AUTHORIZATION},
    rcgen::{Issuer, KeyPair},
    rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs},
};
use hyper_rustls::HttpsConnectorBuilder;
use serde_json::{Value, json};
use std::{
    env,
    fs::{self, File},
    io::{BufWriter, Write},
    sync::{Arc, Mutex},
};

const PLACEHOLDER: &str = "bench-placeholder";
const CREDENTIAL: &str = "a-credential-of-forty-bytes-0123456789ab";
const PASSING: &[&str] = &[
    "host",
    "user-agent",
    "accept",
    "accept-encoding",
    "content-type",
    "content-length",
    "authorization",
];
/// Certificates that are kept, by host.
const LEAVES: u64 = 1000;

#[derive(Clone)]
struct Policy {
    host: Arc<str>,
    audit: Arc<Mutex<BufWriter<File>>>,
    /// The exchange of this connection that waits for its response.
    record: Option<Value>,
}

impl Policy {
    fn allows(&self, host: &str) -> bool {
        host == &*self.host || host.strip_suffix(&*self.host).is_some_and(|rest| rest.ends_with('.'))
    }
}

impl HttpHandler for Policy {
    async fn handle_request(&mut self, _: &HttpContext, mut request: Request<Body>) -> RequestOrResponse {
        if request.method() == Method::CONNECT {
            return request.into();
        }
        let host = request.uri().host().unwrap_or("").to_ascii_lowercase();
        if !self.allows(&host) {
            let mut refusal = Response::new(Body::empty());
            *refusal.status_mut() = StatusCode::FORBIDDEN;
            return refusal.into();
        }
        let dropped: Vec<_> =
            request.headers().keys().filter(|name| !PASSING.contains(&name.as_str())).cloned().collect();
        for name in dropped {
            request.headers_mut().remove(name);
        }
        let swapped = request
            .headers()
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .filter(|value| value.contains(PLACEHOLDER))
            .map(|value| value.replace(PLACEHOLDER, CREDENTIAL));
        if let Some(value) = swapped {
            request.headers_mut().insert(AUTHORIZATION, value.parse().expect("a field value"));
        }
        self.record = Some(json!({
            "host": host, "method": request.method().as_str(), "path": request.uri().path(),
        }));
        request.into()
    }

    async fn handle_response(&mut self, _: &HttpContext, response: Response<Body>) -> Response<Body> {
        if let Some(mut record) = self.record.take() {
            record["status"] = response.status().as_u16().into();
            let mut audit = self.audit.lock().expect("no writer panics");
            writeln!(audit, "{record}").expect("the audit file can be written");
        }
        response
    }
}

#[tokio::main(worker_threads = 1)]
async fn main() {
    let arguments: Vec<String> = env::args().collect();
    let [_, address, ca_cert, ca_key, audit, origin_ca, host] = &arguments[..] else {
        panic!("usage: hudsucker ADDRESS CA_CERT CA_KEY AUDIT ORIGIN_CA HOST");
    };
    let key = KeyPair::from_pem(&fs::read_to_string(ca_key).expect("CA_KEY")).expect("a key");
    let issuer =
        Issuer::from_ca_cert_pem(&fs::read_to_string(ca_cert).expect("CA_CERT"), key).expect("a certificate");

    let mut trusted = RootCertStore::empty();
    let pem = fs::read(origin_ca).expect("ORIGIN_CA");
    for certificate in rustls_pemfile::certs(&mut &pem[..]) {
        trusted.add(certificate.expect("PEM")).expect("a certificate");
    }
    let tls = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_root_certificates(trusted)
        .with_no_client_auth();

    Proxy::builder()
        .with_addr(address.parse().expect("ADDRESS"))
        .with_ca(RcgenAuthority::new(issuer, LEAVES, aws_lc_rs::default_provider()))
        .with_http_connector(HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().build())
        .with_http_handler(Policy {
            host: host.to_ascii_lowercase().into(),
            audit: Arc::new(Mutex::new(BufWriter::new(File::create(audit).expect("AUDIT")))),
            record: None,
        })
        .build()
        .expect("a proxy")
        .start()
        .await
        .expect("the proxy serves");
}
