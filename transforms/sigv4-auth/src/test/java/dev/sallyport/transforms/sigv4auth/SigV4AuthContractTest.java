package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformContract;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

class SigV4AuthContractTest extends TransformContract {

    SigV4AuthContractTest() {
        super(SigV4AuthFactory.class);
    }

    @Override
    protected List<TestRequest> requests() {
        String s3 = "https://bucket.s3.eu-west-1.amazonaws.com/key";
        List<TestRequest> requests = new ArrayList<>(super.requests());
        requests.add(Workload.signed(TestRequest.get(s3), "s3", "UNSIGNED-PAYLOAD"));
        requests.add(Workload.signed(TestRequest.of("PUT", s3).body("content"), "s3", ""));
        requests.add(Workload.signed(
                TestRequest.of("PUT", s3).body("content"),
                "s3",
                Verifier.hex(Verifier.sha256("content".getBytes(StandardCharsets.UTF_8)))));
        requests.add(Workload.signed(
                TestRequest.of("PUT", s3)
                        .body(new Chunks(true).chunk("x").chunk("").text("\r\n").bytes()),
                "s3",
                "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"));
        requests.add(TestRequest.get(Workload.presigned(s3, "s3")));
        return requests;
    }
}
