"""An S3 store on this machine: moto behind faults, and its content."""

import logging
import threading
from urllib.parse import parse_qs

import boto3
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

REGION, KEY, SECRET = "eu-central-1", "key", "secret"
DENIED = b"<?xml version='1.0'?><Error><Code>AccessDenied</Code><Message>Denied by the test</Message></Error>"

logging.getLogger("werkzeug").setLevel(logging.ERROR)


class Store:
    """Buckets in memory. A fault is called when the second part of an object comes, and the part is refused."""

    def __init__(self, *buckets):
        self.application = DomainDispatcherApplication(create_backend_app)
        self.fault = None
        self.server = make_server("127.0.0.1", 0, self.answer, threaded=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.client = boto3.client(
            "s3", endpoint_url=self.url, region_name=REGION, aws_access_key_id=KEY, aws_secret_access_key=SECRET
        )
        for bucket in buckets:
            self.client.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})

    def answer(self, environment, start_response):
        query = parse_qs(environment["QUERY_STRING"])
        if self.fault and query.get("partNumber") == ["2"]:
            self.fault()
            start_response("403 Forbidden", [("Content-Type", "application/xml"), ("Content-Length", str(len(DENIED)))])
            return [DENIED]
        return self.application(environment, start_response)

    @property
    def settings(self):
        """What the program needs to reach it."""
        return {
            "AWS_ENDPOINT_URL": self.url, "AWS_ALLOW_HTTP": "true", "AWS_REGION": REGION,
            "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET,
        }

    def names(self, bucket, prefix=""):
        found = self.client.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
        return [item["Key"] for item in found]

    def unfinished(self, bucket):
        return self.client.list_multipart_uploads(Bucket=bucket).get("Uploads", [])

    def put(self, bucket, name):
        self.client.put_object(Bucket=bucket, Key=name, Body=b"")

    def save(self, bucket, name, path):
        self.client.download_file(bucket, name, str(path))
