package dev.sallyport.server.quickstart;

import dev.sallyport.server.Failure;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** A real client, as a workload would use it. */
interface Client {

    /** As shown to people. */
    String name();

    /** Sends the request through the proxy and waits for the answer. */
    Answer send(Visit visit) throws Failure, InterruptedException;

    /** curl where there is one, else Java's own client. */
    static Client of(InetSocketAddress proxy, Path caCertificate) throws Failure, InterruptedException {
        return CurlClient.isInstalled() ? new CurlClient(proxy, caCertificate) : new JavaClient(proxy, caCertificate);
    }
}
