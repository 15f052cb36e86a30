package dev.sallyport.transforms.svcacctauth;

import dev.sallyport.testkit.TransformContract;

class GcpIdTokenContractTest extends TransformContract {

    GcpIdTokenContractTest() {
        super(GcpIdTokenFactory.class);
    }

    @Override
    protected String variable(String name) {
        return KeyFiles.REAL.json("https://oauth2.googleapis.com/token").toString();
    }
}
