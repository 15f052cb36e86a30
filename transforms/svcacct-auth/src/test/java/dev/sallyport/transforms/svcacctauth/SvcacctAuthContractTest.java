package dev.sallyport.transforms.svcacctauth;

import dev.sallyport.testkit.TransformContract;

class SvcacctAuthContractTest extends TransformContract {

    SvcacctAuthContractTest() {
        super(SvcacctAuthFactory.class);
    }

    @Override
    protected String variable(String name) {
        return KeyFiles.REAL.json("https://oauth2.googleapis.com/token").toString();
    }
}
