package dev.sallyport.transforms.svcacctauth;

import com.google.gson.JsonObject;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.util.Base64;

/** Keys of service accounts that exist in tests only. */
final class KeyFiles {

    static final String EMAIL = "robot@test-project.iam.gserviceaccount.com";
    static final String PROJECT = "test-project";

    /** The operator's, and one that a workload may see. */
    static final KeyFiles REAL = new KeyFiles();

    static final KeyFiles FAKE = new KeyFiles();

    private final KeyPair pair;

    private KeyFiles() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            pair = generator.generateKeyPair();
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("RSA", e);
        }
    }

    PublicKey publicKey() {
        return pair.getPublic();
    }

    JsonObject json(String tokenUri) {
        JsonObject json = new JsonObject();
        json.addProperty("type", "service_account");
        json.addProperty("project_id", PROJECT);
        json.addProperty("private_key_id", "key-7");
        json.addProperty("private_key", pem());
        json.addProperty("client_email", EMAIL);
        json.addProperty("client_id", "1234567890");
        json.addProperty("token_uri", tokenUri);
        return json;
    }

    String pem() {
        return "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'})
                        .encodeToString(pair.getPrivate().getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
    }
}
