package dev.sallyport.sandboxd;

/** The same, where runc runs the containers. */
class RuncExhaustionTest extends OciExhaustionTest {

    @Override
    Host open() throws Exception {
        return Host.openWithRunc();
    }
}
