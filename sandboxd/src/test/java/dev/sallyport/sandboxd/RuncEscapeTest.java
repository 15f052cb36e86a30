package dev.sallyport.sandboxd;

/** The same, where runc runs the guest. */
class RuncEscapeTest extends EscapeTest {

    @Override
    Host open() throws Exception {
        return Host.openWithRunc();
    }
}
