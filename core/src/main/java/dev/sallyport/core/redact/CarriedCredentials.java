package dev.sallyport.core.redact;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Edits;
import java.util.ArrayList;
import java.util.List;

/** The credentials that one request carries, or may carry, by the transform that put them in. Confined to its loop. */
public final class CarriedCredentials {

    /** How the place of a value begins that nobody declared. */
    static final String DERIVED = "#";

    private final List<String> stages = new ArrayList<>(2);
    private final List<Credential> credentials = new ArrayList<>(2);
    private boolean answered;

    /** Notes what is secret in the edits of a transform; where it does not say, what they write. */
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

    /** Whether there is something to note in such edits. */
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

    /** How many there are. */
    public int size() {
        return credentials.size();
    }

    /** Forgets those from this one on: they are taken back before anything is sent. */
    public void forgetFrom(int size) {
        stages.subList(size, stages.size()).clear();
        credentials.subList(size, credentials.size()).clear();
    }

    /** The response has begun: from now on it is too late to look for further values in it. */
    void answered() {
        answered = true;
    }

    /** Whether nobody said what it is, and so whether it is used again. */
    static boolean derived(Credential secret) {
        return secret.place().startsWith(DERIVED);
    }

    String stage(int index) {
        return stages.get(index);
    }

    Credential credential(int index) {
        return credentials.get(index);
    }

    @Override
    public String toString() {
        return "Carried[" + stages + "]";
    }
}
