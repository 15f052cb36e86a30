package dev.sallyport.it.control;

import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import javax.net.ssl.SSLContext;

/** An origin at an address of its own, at ports 80 and 443; prints what it is asked, with the credential that came along. */
final class ScenarioOrigin {

    private final String address;
    private final PrintStream log;

    private ScenarioOrigin(String address, PrintStream log) {
        this.address = address;
        this.log = log;
    }

    /** Opens one, for as long as the process lives. */
    static void open(String address, SSLContext tls, PrintStream log) throws IOException {
        ScenarioOrigin origin = new ScenarioOrigin(address, log);
        InetAddress bound = InetAddress.getAllByName(address)[0];
        origin.serve(new ServerSocket(80, 50, bound));
        origin.serve(tls.getServerSocketFactory().createServerSocket(443, 50, bound));
    }

    private void serve(ServerSocket server) {
        Thread.ofVirtual().start(() -> {
            while (true) {
                try {
                    Socket socket = server.accept();
                    Thread.ofVirtual().start(() -> answer(socket));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
    }

    private void answer(Socket socket) {
        try (Wire wire = new Wire(socket)) {
            String head = wire.readHead();
            log.println(address + ": " + head.lines().findFirst().orElse("") + " "
                    + head.lines()
                            .filter(line -> line.regionMatches(true, 0, "authorization:", 0, "authorization:".length()))
                            .findFirst()
                            .orElse("without a credential"));
            wire.send(TestOrigin.ok("world at " + address));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
