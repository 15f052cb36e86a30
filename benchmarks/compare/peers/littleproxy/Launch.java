import java.io.File;
import org.littleshoot.proxy.impl.DefaultHttpProxyServer;
import org.littleshoot.proxy.mitm.Authority;
import org.littleshoot.proxy.mitm.CertificateSniffingMitmManager;

/** LittleProxy with the interception that its users take: {@code PORT FOLDER}. */
public final class Launch {

    private Launch() {}

    public static void main(String... arguments) throws Exception {
        Authority authority = new Authority(
                new File(arguments[1]),
                "littleproxy",
                "changeit".toCharArray(),
                "Compare LittleProxy CA",
                "Compare",
                "CA",
                "Compare",
                "Leaf");
        DefaultHttpProxyServer.bootstrap()
                .withPort(Integer.parseInt(arguments[0]))
                .withAllowLocalOnly(true)
                .withManInTheMiddle(new CertificateSniffingMitmManager(authority))
                .start();
        // All of its threads are daemons.
        Thread.currentThread().join();
    }
}
