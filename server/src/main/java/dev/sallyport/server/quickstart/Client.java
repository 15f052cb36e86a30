package dev.sallyport.server.quickstart;

import dev.sallyport.server.Failure;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** A real client, as a workload would use it. */
interface Client {

    /** The client's name, for people. */
    String name();

    /** Sends the request through the proxy and waits for the answer. */
    SampleResponse send(SampleRequest sample) throws Failure, InterruptedException;

    /** curl if it is installed, otherwise Java's own client. */
    static Client of(InetSocketAddress proxy, Path caCertificate) throws Failure, InterruptedException {
        return CurlClient.isInstalled() ? new CurlClient(proxy, caCertificate) : new JavaClient(proxy, caCertificate);
    }
}
