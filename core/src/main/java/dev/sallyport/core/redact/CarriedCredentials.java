package dev.sallyport.core.redact;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.RedactResponse;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The credentials that one request carries, or may carry, with the transform that put them in. Confined to its loop.
 */
public final class CarriedCredentials {

    /** The prefix of the place of a value that no transform declared. */
    static final String DERIVED = "#";

    private final List<String> stages = new ArrayList<>(2);
    private final List<Credential> credentials = new ArrayList<>(2);
    private boolean answered;

    /** Notes the credentials in a transform's edits: those declared, or else what the edits write. */
    public void add(String stage, Edits edits) {
        if (!edits.credentials().isEmpty()) {
            edits.credentials().forEach(secret -> add(stage, secret));
            return;
        }
        for (Edit edit : edits.list()) {
            if (edit.sensitive()) {
                UndeclaredSecrets.in(edit, value -> {
                    String place = DERIVED + credentials.size();
                    add(stage, Credential.of(stage, value).from(place));
                });
            }
        }
    }

    /** Whether such edits contain anything to note. */
    public static boolean concerns(Edits edits) {
        if (!edits.credentials().isEmpty()) {
            return true;
        }
        List<Edit> list = edits.list();
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i).sensitive()) {
                return true;
            }
        }
        return false;
    }

    private void add(String stage, Credential secret) {
        if (credentials.contains(secret)) {
            return;
        }
        if (answered) {
            throw new IllegalStateException("a credential behind the beginning of the response");
        }
        stages.add(stage);
        credentials.add(secret);
    }

    /** The number of credentials. */
    public int size() {
        return credentials.size();
    }

    /**
     * The names of those that are removed from the response to the request.
     *
     * @param local whether the origin's address is loopback
     */
    public List<String> removedFromResponse(RedactionSettings settings, boolean local) {
        Set<String> names = new LinkedHashSet<>();
        for (Credential secret : credentials) {
            if (secret.length() >= Credential.MIN_LENGTH && settings.when(secret, local) != RedactResponse.OFF) {
                names.add(secret.name());
            }
        }
        return List.copyOf(names);
    }

    /** The response has begun: it is too late to search it for further values. */
    void answered() {
        answered = true;
    }

    /** The response is dropped and the request is sent once more: another response will begin. */
    public void again() {
        answered = false;
    }

    /** Whether no transform declared it, so that it is unknown whether it is used again. */
    static boolean derived(Credential secret) {
        return secret.place().startsWith(DERIVED);
    }

    /** The transform that put it in. */
    public String stage(int index) {
        return stages.get(index);
    }

    /** The name of the secret that it is, or a name of the transform's for what was made of secrets. */
    public String name(int index) {
        return credentials.get(index).name();
    }

    Credential credential(int index) {
        return credentials.get(index);
    }

    @Override
    public String toString() {
        return "Carried[" + stages + "]";
    }
}
