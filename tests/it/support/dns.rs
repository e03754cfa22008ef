//! A name server, in this process, with TXT and CNAME records that tests set.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use hickory_resolver::proto::{
    op::{Message, MessageType, ResponseCode},
    rr::{
        Name, RData, Record, RecordType,
        rdata::{A, CNAME, TXT},
    },
    serialize::binary::{BinDecodable, BinEncodable},
};
use tokio::{net::UdpSocket, task::JoinHandle};

type Records = Arc<Mutex<HashMap<(String, RecordType), Vec<RData>>>>;

pub struct NameServer {
    pub address: SocketAddr,
    records: Records,
    /// The names that were asked for, in their order.
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl NameServer {
    pub async fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let (records, asked) = (Records::default(), Arc::<Mutex<Vec<String>>>::default());
        let (known, names) = (Arc::clone(&records), Arc::clone(&asked));
        let task = tokio::spawn(async move {
            let mut bytes = [0; 4096];
            loop {
                let (size, client) = socket.recv_from(&mut bytes).await.unwrap();
                let query = Message::from_bytes(&bytes[..size]).unwrap();
                let name = query.queries[0].name().to_string();
                names.lock().unwrap().push(name.clone());
                let found = known
                    .lock()
                    .unwrap()
                    .get(&(name, query.queries[0].query_type()))
                    .cloned();
                socket
                    .send_to(&answer(&query, found).to_bytes().unwrap(), client)
                    .await
                    .unwrap();
            }
        });
        Self {
            address,
            records,
            asked,
            task,
        }
    }

    /// Sets the texts of a name.
    pub fn set(&self, name: &str, texts: &[String]) {
        let texts = texts.iter().map(|text| RData::TXT(TXT::new(vec![text.clone()])));
        self.insert(name, RecordType::TXT, texts.collect());
    }

    /// Makes a name an alias of another one.
    pub fn set_alias(&self, name: &str, of: &str) {
        let of = Name::from_ascii(format!("{of}.")).unwrap();
        self.insert(name, RecordType::CNAME, vec![RData::CNAME(CNAME(of))]);
    }

    pub fn set_address(&self, name: &str, [a, b, c, d]: [u8; 4]) {
        self.insert(name, RecordType::A, vec![RData::A(A::new(a, b, c, d))]);
    }

    fn insert(&self, name: &str, kind: RecordType, records: Vec<RData>) {
        let key = (format!("{name}."), kind);
        self.records.lock().unwrap().insert(key, records);
    }

    /// The names that were asked for since the last call.
    pub fn take_asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn answer(query: &Message, found: Option<Vec<RData>>) -> Message {
    let mut answer = query.clone();
    answer.metadata.message_type = MessageType::Response;
    if found.is_none() {
        answer.metadata.response_code = ResponseCode::NXDomain;
    }
    for record in found.into_iter().flatten() {
        let name = query.queries[0].name().clone();
        answer.add_answer(Record::from_rdata(name, 60, record));
    }
    answer
}
