package dev.sallyport.benchmarks;

import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;

/** Placeholders and traffic, the same in every run. */
final class Samples {

    static final String PREFIX = "SALLYPORT_PROXY_";

    private static final long SEED = 42;
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

    private Samples() {}

    /** Names as the control plane makes them: a common prefix, then the name of the secret. */
    static List<String> placeholders(int count) {
        Random random = new Random(SEED);
        List<String> placeholders = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            StringBuilder name = new StringBuilder(PREFIX);
            for (int length = 8 + random.nextInt(16); length > 0; length--) {
                name.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
            }
            placeholders.add(name.toString());
        }
        return placeholders;
    }

    static List<byte[]> bytes(List<String> texts) {
        return texts.stream()
                .map(text -> text.getBytes(StandardCharsets.US_ASCII))
                .toList();
    }

    /** Name and value of each line of a head of 2 KiB, as a browser sends it. */
    static List<String[]> head() {
        Random random = new Random(SEED);
        List<String[]> lines = new ArrayList<>();
        lines.add(new String[] {
            "User-Agent",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
        });
        lines.add(
                new String[] {"Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"});
        lines.add(new String[] {"Accept-Encoding", "gzip, deflate, br, zstd"});
        lines.add(new String[] {"Accept-Language", "en-GB,en;q=0.9,de;q=0.8"});
        lines.add(new String[] {"Authorization", "Bearer " + token(random, 340)});
        lines.add(new String[] {"Content-Type", "application/json; charset=utf-8"});
        lines.add(new String[] {"Referer", "https://console.example.com/projects/blue-42/settings?tab=keys"});
        lines.add(new String[] {"Sec-Fetch-Mode", "cors"});
        lines.add(new String[] {"Sec-Fetch-Site", "same-origin"});
        lines.add(new String[] {"X-Request-Id", "7f9c24e8-3b12-4d55-9f4e-2a6f1c0f9a11"});
        lines.add(new String[] {"Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"});
        int length = lines.stream()
                .mapToInt(line -> line[0].length() + line[1].length() + 4)
                .sum();
        lines.add(new String[] {"Cookie", "sid=" + token(random, 2048 - length - 14)});
        return lines;
    }

    /** JSON records of a megabyte, of which every {@code every}th has one of the texts in it; 0 for none. */
    static byte[] body(List<String> texts, int every) {
        Random random = new Random(SEED);
        StringBuilder body = new StringBuilder(1 << 20);
        for (int i = 1; body.length() < (1 << 20); i++) {
            String key = every > 0 && i % every == 0 ? texts.get(random.nextInt(texts.size())) : token(random, 24);
            body.append("{\"id\": ").append(random.nextInt(1_000_000));
            body.append(", \"name\": \"Record number ").append(i).append(" of many\", \"key\": \"");
            body.append(key).append("\", \"active\": true, \"note\": \"lorem ipsum dolor sit amet\"}\n");
        }
        return body.substring(0, 1 << 20).getBytes(StandardCharsets.US_ASCII);
    }

    /** The key file of a service account, with a key that nobody else has. */
    static String serviceAccount() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            String key = Base64.getMimeEncoder(64, new byte[] {'\n'})
                    .encodeToString(generator.generateKeyPair().getPrivate().getEncoded());
            String pem = "-----BEGIN PRIVATE KEY-----\n" + key + "\n-----END PRIVATE KEY-----\n";
            return "{\"type\":\"service_account\",\"project_id\":\"p\",\"private_key_id\":\"1\",\"private_key\":\""
                    + pem.replace("\n", "\\n")
                    + "\",\"client_email\":\"a@p.iam.gserviceaccount.com\",\"client_id\":\"1\","
                    + "\"token_uri\":\"https://oauth2.googleapis.com/token\"}";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no RSA", e);
        }
    }

    private static String token(Random random, int length) {
        String letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
        StringBuilder token = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            token.append(letters.charAt(random.nextInt(letters.length())));
        }
        return token.toString();
    }
}
