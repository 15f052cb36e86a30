package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The script of the profile of a guest that runs. As with tasks, all is done inside the guest, by its own shell, so that
 * nothing is written along a path of the guest's.
 */
public final class GuestProfile {

    private static final String SCRIPT = Scripts.named("profile.sh");

    private GuestProfile() {}

    /**
     * Replaces it, all of it at one moment.
     *
     * @param mounted whether it is a mount rather than a file
     */
    public static void replace(GuestShell shell, String text, boolean mounted)
            throws IOException, WireException, CommandException, InterruptedException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        shell.run(
                SCRIPT,
                List.of(mounted ? "mount" : "file", Integer.toString(bytes.length)),
                stream -> stream.write(bytes),
                0);
    }
}
