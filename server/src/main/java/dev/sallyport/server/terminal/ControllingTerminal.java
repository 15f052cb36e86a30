package dev.sallyport.server.terminal;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The controlling terminal of this process, whatever its standard streams are. It is shared with other processes, so
 * who reads has to look first whether it is theirs. Not thread-safe.
 */
public final class ControllingTerminal implements AutoCloseable {

    private static final File DEVICE = new File("/dev/tty");
    private static final List<String> FOLDERS = List.of("/bin", "/usr/bin", "/run/current-system/sw/bin");
    private static final int LONGEST_LINE = 4096;
    private static final int GROUP = 2;
    private static final int FOREGROUND = 5;

    private final FileInputStream in;
    private final FileOutputStream out;

    private ControllingTerminal(FileInputStream in, FileOutputStream out) {
        this.in = in;
        this.out = out;
    }

    /** @throws IOException when this process has none */
    public static ControllingTerminal open() throws IOException {
        FileInputStream in;
        try {
            in = new FileInputStream(DEVICE);
        } catch (FileNotFoundException e) {
            throw new IOException("this process has no terminal", e);
        }
        try {
            return new ControllingTerminal(in, new FileOutputStream(DEVICE));
        } catch (FileNotFoundException e) {
            in.close();
            throw new IOException("the terminal cannot be written to: " + e.getMessage(), e);
        }
    }

    /** Whether this process belongs to the group that has the keyboard; any other is stopped when it reads. */
    public static boolean inForeground() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return fields[GROUP].equals(fields[FOREGROUND]);
        } catch (IOException e) {
            return Boolean.getBoolean("sallyport.tty.input");
        }
    }

    /** Whether it collects whole lines and shows what is typed: a program that edits by itself has changed that. Blocks. */
    public boolean isLineByLine() throws IOException, InterruptedException {
        Process stty = new ProcessBuilder(stty(), "-a")
                .redirectInput(DEVICE)
                .redirectErrorStream(true)
                .start();
        String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        return stty.waitFor() == 0 && List.of(said.split("[\\s;]+")).containsAll(List.of("icanon", "echo"));
    }

    /** Not by PATH: the program may have put another one there. */
    private static String stty() throws IOException {
        return FOLDERS.stream()
                .map(folder -> Path.of(folder, "stty"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IOException("there is no stty in " + String.join(", ", FOLDERS)))
                .toString();
    }

    /** Whether a line has been typed that nobody has read. */
    public boolean hasLine() throws IOException {
        return in.available() > 0;
    }

    /** A line that has been typed, without its end. Blocks unless {@link #hasLine}. */
    public String line() throws IOException {
        byte[] line = new byte[LONGEST_LINE];
        int length = in.read(line);
        return length <= 0 ? "" : new String(line, 0, length, StandardCharsets.UTF_8).strip();
    }

    /** Shows text. */
    public void show(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        try (in;
                out) {
            // Both are closed.
        }
    }
}
