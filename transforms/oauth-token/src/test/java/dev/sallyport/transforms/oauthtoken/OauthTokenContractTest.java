package dev.sallyport.transforms.oauthtoken;

import dev.sallyport.testkit.TransformContract;

class OauthTokenContractTest extends TransformContract {

    OauthTokenContractTest() {
        super(OauthTokenFactory.class);
    }

    @Override
    protected String variable(String name) {
        return name.equals("APP_KEY") ? Keys.pkcs8() : super.variable(name);
    }
}
