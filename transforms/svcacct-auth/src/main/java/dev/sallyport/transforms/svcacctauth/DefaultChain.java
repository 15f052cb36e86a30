package dev.sallyport.transforms.svcacctauth;

import com.google.api.client.http.GenericUrl;
import com.google.api.client.http.HttpRequest;
import com.google.api.client.http.HttpResponse;
import com.google.auth.http.HttpTransportFactory;
import com.google.auth.oauth2.ComputeEngineCredentials;
import com.google.auth.oauth2.GoogleCredentials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds default credentials where Google's libraries look for them: the file that
 * {@code GOOGLE_APPLICATION_CREDENTIALS} names, gcloud's own file, the metadata server. The library's chain caches its
 * result for the whole process, with the first caller's HTTP client; this one belongs to its proxy.
 */
final class DefaultChain {

    private static final String FILE_VARIABLE = "GOOGLE_APPLICATION_CREDENTIALS";
    private static final String FLAVOR = "Metadata-Flavor";
    private static final int PROBES = 3;

    private final Function<String, @Nullable String> environment;
    private final Path home;

    DefaultChain(Function<String, @Nullable String> environment, Path home) {
        this.environment = environment;
        this.home = home;
    }

    /** @throws IOException when there are none; the message shows no value */
    GoogleCredentials find(HttpTransportFactory transport) throws IOException {
        String named = environment.apply(FILE_VARIABLE);
        if (named != null && !named.isEmpty()) {
            return read(path(named), "the file that " + FILE_VARIABLE + " names", transport);
        }
        Path own = configuration().resolve("application_default_credentials.json");
        if (Files.isRegularFile(own)) {
            return read(own, "gcloud's file of default credentials", transport);
        }
        if (environment.apply("NO_GCE_CHECK") == null && isMetadataServerThere(transport)) {
            return ComputeEngineCredentials.newBuilder()
                    .setHttpTransportFactory(transport)
                    .build();
        }
        throw new IOException("no default credentials: " + FILE_VARIABLE
                + " is not set, gcloud has no file, and no metadata server answers");
    }

    private Path configuration() throws IOException {
        String folder = environment.apply("CLOUDSDK_CONFIG");
        return folder != null && !folder.isEmpty() ? path(folder) : home.resolve(".config/gcloud");
    }

    private static Path path(String text) throws IOException {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IOException("the environment names an invalid path", e);
        }
    }

    private static GoogleCredentials read(Path file, String what, HttpTransportFactory transport) throws IOException {
        byte[] json;
        try {
            json = Files.readAllBytes(file);
        } catch (IOException e) {
            throw new IOException(what + " cannot be read", e);
        }
        try {
            return GoogleCredentials.fromStream(new ByteArrayInputStream(json), transport)
                    .createWithCustomRetryStrategy(false);
        } catch (IOException | RuntimeException e) {
            throw new IOException(what + " has no credentials of a known kind", e);
        }
    }

    private static boolean isMetadataServerThere(HttpTransportFactory transport) {
        for (int i = 0; i < PROBES; i++) {
            try {
                HttpRequest probe = transport
                        .create()
                        .createRequestFactory()
                        .buildGetRequest(new GenericUrl(ComputeEngineCredentials.getMetadataServerUrl()));
                probe.getHeaders().set(FLAVOR, "Google");
                probe.setThrowExceptionOnExecuteError(false);
                HttpResponse answer = probe.execute();
                answer.disconnect();
                return "Google".equals(answer.getHeaders().getFirstHeaderStringValue(FLAVOR));
            } catch (IOException e) {
                // Metadata servers of new nodes need a moment.
            }
        }
        return false;
    }
}
