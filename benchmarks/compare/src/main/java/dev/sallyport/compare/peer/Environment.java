package dev.sallyport.compare.peer;

import dev.sallyport.compare.net.Authority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What all peers of a run are told: certificates, names, ports of the origin.
 *
 * @param folder of the run
 * @param values of {@link Template}, the same for all peers
 * @param proxyCores the processors that peers run on, as {@code taskset} writes them; empty for any
 * @param resolver a file that stands in for {@code /etc/resolv.conf} in the eyes of peers; empty for none
 */
public record Environment(Path folder, Map<String, String> values, String proxyCores, String resolver) {

    /** Writes the certificates that peers need. */
    public static Map<String, String> certificates(Path folder, Authority proxies, Authority origin)
            throws IOException {
        Files.createDirectories(folder);
        Authority.Identity bare = proxies.identity("bench.test", "*.bench.test", "localhost");
        Map<String, String> files = new LinkedHashMap<>();
        files.put("ca_cert", proxies.certificatePem());
        files.put("ca_key", proxies.keyPem());
        files.put("ca_both", proxies.keyPem() + proxies.certificatePem());
        files.put("origin_ca", origin.certificatePem());
        files.put("leaf_cert", Authority.pem(bare.chain().getFirst()));
        files.put("leaf_key", Authority.keyPem(bare.key()));
        Map<String, String> paths = new LinkedHashMap<>();
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey() + ".pem");
            Files.writeString(path, file.getValue());
            paths.put(file.getKey(), path.toString());
        }
        return paths;
    }
}
