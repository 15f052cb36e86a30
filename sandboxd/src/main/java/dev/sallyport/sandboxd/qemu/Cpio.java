package dev.sallyport.sandboxd.qemu;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** An archive as the kernel takes it for its first file system: cpio of the form {@code newc}, all of it root's. */
final class Cpio {

    private static final int FOLDER = 0040000;
    private static final int FILE = 0100000;
    private static final int DEVICE = 0020000;
    private static final int BLOCK = 4;
    private static final String END = "TRAILER!!!";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private int number;

    /**
     * Adds a folder.
     *
     * @param mode permissions alone
     */
    Cpio folder(String path, int mode) {
        return add(path, FOLDER | mode, new byte[0], 0, 0);
    }

    /** Adds a file. */
    Cpio file(String path, int mode, byte[] content) {
        return add(path, FILE | mode, content, 0, 0);
    }

    /** Adds a text. */
    Cpio file(String path, int mode, String text) {
        return file(path, mode, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds a character device. */
    Cpio device(String path, int mode, int major, int minor) {
        return add(path, DEVICE | mode, new byte[0], major, minor);
    }

    /** All of it, of a length after which another archive may follow. */
    byte[] toByteArray() {
        Cpio whole = new Cpio();
        whole.bytes.writeBytes(bytes.toByteArray());
        whole.number = number;
        whole.add(END, 0, new byte[0], 0, 0);
        return whole.bytes.toByteArray();
    }

    private Cpio add(String path, int mode, byte[] content, int major, int minor) {
        byte[] name = (path + "\0").getBytes(StandardCharsets.UTF_8);
        number++;
        int[] fields = {number, mode, 0, 0, 1, 0, content.length, 0, 0, major, minor, name.length, 0};
        StringBuilder head = new StringBuilder("070701");
        for (int field : fields) {
            head.append(String.format(Locale.ROOT, "%08X", field));
        }
        bytes.writeBytes(head.toString().getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(name);
        fill();
        bytes.writeBytes(content);
        fill();
        return this;
    }

    private void fill() {
        while (bytes.size() % BLOCK != 0) {
            bytes.write(0);
        }
    }
}
