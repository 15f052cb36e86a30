package dev.sallyport.transforms.secrets;

import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformContract;
import java.util.ArrayList;
import java.util.List;

class SecretsContractTest extends TransformContract {

    SecretsContractTest() {
        super(SecretsFactory.class);
    }

    @Override
    protected List<TestRequest> requests() {
        List<TestRequest> requests = new ArrayList<>(super.requests());
        requests.add(TestRequest.get("https://maps.example.com/?key=mine"));
        requests.add(TestRequest.get("https://git.example.com/team/repo"));
        requests.add(TestRequest.get("https://api.example.com/").header("authorization", "Bearer PLACEHOLDER"));
        return requests;
    }
}
