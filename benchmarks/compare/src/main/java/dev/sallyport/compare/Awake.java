package dev.sallyport.compare;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps idle processors from sleeping as long as it is open, as cyclictest does: a little load at a fixed rate would else
 * measure above all how long this machine takes to wake one, which on virtual machines is more than what proxies need. Linux,
 * as root (PM QoS interface, {@code /dev/cpu_dma_latency}); elsewhere it does nothing.
 */
final class Awake implements AutoCloseable {

    private static final String DEVICE = "/dev/cpu_dma_latency";

    /** The latency that is tolerated, 0 microseconds, as a number of 32 bits; it holds while the file is open. */
    private static final byte[] NONE = new byte[4];

    private final @Nullable OutputStream device;

    private Awake(@Nullable OutputStream device) {
        this.device = device;
    }

    static Awake keep() {
        try {
            OutputStream device = new FileOutputStream(DEVICE);
            try {
                device.write(NONE);
                return new Awake(device);
            } catch (IOException e) {
                device.close();
                return off();
            }
        } catch (IOException e) {
            return off();
        }
    }

    /** Does nothing; for scenarios in which processors are busy anyway. */
    static Awake off() {
        return new Awake(null);
    }

    /** For the facts of a run. */
    String told() {
        return device == null ? "may sleep (the device for it cannot be opened)" : "kept from sleeping";
    }

    @Override
    public void close() {
        if (device != null) {
            try {
                device.close();
            } catch (IOException e) {
                System.err.println(DEVICE + " cannot be closed: " + e.getMessage());
            }
        }
    }
}
