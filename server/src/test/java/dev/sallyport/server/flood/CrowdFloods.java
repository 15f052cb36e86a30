package dev.sallyport.server.flood;

import static dev.sallyport.server.flood.Attacker.head;
import static dev.sallyport.server.flood.Attacker.send;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Of what is kept by name and by address, as many as one client can make: hosts, ports, clients. */
final class CrowdFloods {

    private CrowdFloods() {}

    static List<Flood> all() {
        return List.of(
                new Flood(
                        "names that are looked up and dialled",
                        (attacker, much) -> asked(attacker, 400 * much, i -> attacker.host("n" + i), "")),
                new Flood(
                        "addresses that are dialled",
                        (attacker, much) -> asked(attacker, 400 * much, i -> attacker.literal(i), "")),
                new Flood(
                        "names that nobody has",
                        (attacker, much) -> asked(attacker, 400 * much, i -> "n" + i + ".denied.example", "")),
                new Flood(
                        "hosts that a secret is sent to",
                        (attacker, much) -> asked(
                                attacker,
                                200 * much,
                                i -> attacker.host("n" + i + ".secrets"),
                                Victim.SHORT_PLACEHOLDER)),
                new Flood("clients, each from another address", CrowdFloods::clients));
    }

    private interface Host {
        String of(int number);
    }

    /** One connection after the other, a request each, with a credential that may be empty; answers are awaited. */
    private static long asked(Attacker attacker, int times, Host host, String credential) throws IOException {
        for (int i = 0; i < times; i++) {
            try (Socket socket = attacker.http()) {
                send(socket, request(host.of(i), credential));
                head(socket);
            }
        }
        return times;
    }

    /** All at once, each with its head unfinished, and with a request behind it. */
    private static long clients(Attacker attacker, int much) throws IOException {
        int times = 300 * much;
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            Socket socket = attacker.httpFrom(i);
            send(socket, request(attacker.host("n" + i), ""));
            head(socket);
            send(socket, "GET /ok HTTP/1.1\r\nX-Long: " + "x".repeat(1000));
            sockets.add(socket);
        }
        // The second request of each is refused, once it has taken too long.
        for (Socket socket : sockets) {
            Attacker.drain(socket);
        }
        return 2L * times;
    }

    private static String request(String host, String credential) {
        return "GET /ok HTTP/1.1\r\nHost: " + host + "\r\n"
                + (credential.isEmpty() ? "" : "Authorization: Bearer " + credential + "\r\n") + "\r\n";
    }
}
