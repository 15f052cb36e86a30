package dev.sallyport.control;

import dev.sallyport.control.agent.AgentSettings;
import dev.sallyport.control.sandbox.SandboxSettings;
import dev.sallyport.core.config.ByteSize;
import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.ImageName;
import dev.sallyport.sandbox.NoDriver;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmDriverFactory;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmLimits;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.InvalidPatternException;
import dev.sallyport.toolkit.match.IpRange;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What is made from block {@code sandboxes}: the driver, found by its name, and the settings of everything else. */
record SandboxParts(VmDriver driver, SandboxSettings settings, AgentSettings agents) {

    private static final String AUTO = "auto";
    private static final String QEMU = "qemu";

    /** Those that sandboxd has. */
    private static final Set<String> OF_SANDBOXD = Set.of("oci", QEMU);

    private static final String SANDBOXD = "sandboxd";
    private static final String NONE = "none";
    private static final Set<String> WITHOUT_SETTINGS = Set.of(AUTO, "oci", QEMU, NONE);
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9:][A-Za-z0-9._:%-]*");
    private static final Pattern PORTS = Pattern.compile("([1-9][0-9]{0,4})-([1-9][0-9]{0,4})");
    private static final int LAST_PORT = 65_535;

    /** Whether nothing of guests runs. */
    boolean guestsAreMadeUp() {
        return driver instanceof FakeDriver;
    }

    /** Reports what can be seen in the configuration alone; pointers are those of section {@code control}. */
    static void check(SandboxConfig config, Problems problems) {
        if (!ImageName.isValid(config.image())) {
            problems.add("/sandboxes/image", "not the name of an image", "a name such as debian-12");
        }
        if (!isSubnet(config.subnet())) {
            problems.add("/sandboxes/subnet", "not a range for guests", "an IPv4 range of /8 to /29");
        } else if (isBySandboxd(config) && !isRoutable(config.subnet())) {
            problems.add("/sandboxes/subnet", "loopback or multicast addresses", "others, such as 10.77.0.0/16");
        }
        if (!isRange(config.ssh().ports())) {
            problems.add("/sandboxes/ssh/ports", "not a range of ports", "FIRST-LAST, such as 22000-22999");
        }
        if (!isAddress(config.ssh().listen())) {
            problems.add("/sandboxes/ssh/listen", "not an address", "an IP address of this machine, or 0.0.0.0");
        }
        String host = config.ssh().host();
        if (host != null && !HOST.matcher(host).matches()) {
            problems.add("/sandboxes/ssh/host", "not a host", "a name, or an IP address without brackets");
        }
        checkDriver(config, problems);
        checkQuotas(config.limits(), config.size(), problems);
        SandboxdConfig.check(config, problems);
        AgentParts.check(config.agents(), problems);
    }

    /** Whether sandboxd runs VMs. */
    static boolean isBySandboxd(SandboxConfig config) {
        return config.driver().equals(AUTO) || isOfSandboxd(config);
    }

    /** Whether a driver is asked for that sandboxd has. */
    static boolean isOfSandboxd(SandboxConfig config) {
        return OF_SANDBOXD.contains(config.driver());
    }

    private static void checkDriver(SandboxConfig config, Problems problems) {
        String driver = config.driver();
        if (!driver.equals(AUTO) && !factories().containsKey(OF_SANDBOXD.contains(driver) ? SANDBOXD : driver)) {
            problems.add("/sandboxes/driver", "no driver " + driver + " is part of this program", names());
        }
        if (WITHOUT_SETTINGS.contains(driver) && !config.settings().isEmpty()) {
            problems.add(
                    "/sandboxes/settings",
                    "driver " + driver + " takes none",
                    driver.equals(NONE) ? "no settings" : "those of sandboxd");
        }
    }

    private static void checkQuotas(SandboxConfig.Bounds limits, SandboxConfig.Size size, Problems problems) {
        checkQuota("memory", limits.memoryPerAccount(), size.memory(), problems);
        checkQuota("cpu_millis", limits.cpuMillisPerAccount(), size.cpuMillis(), problems);
        checkQuota("disk", limits.diskPerAccount(), size.disk(), problems);
        checkQuota("processes", limits.processesPerAccount(), size.processes(), problems);
    }

    /** With less than one VM takes, nobody could make one. */
    private static <T extends Comparable<T>> void checkQuota(
            String name, @Nullable T quota, T size, Problems problems) {
        if (quota != null && quota.compareTo(size) < 0) {
            problems.add(
                    "/sandboxes/limits/" + name + "_per_account",
                    "%s is less than one VM takes".formatted(quota),
                    "at least size.%s, which is %s".formatted(name, size));
        }
    }

    /** What works, and is maybe not what is meant. */
    static void doubts(SandboxConfig config, @Nullable String baseUrl, Problems doubts) {
        String told = host(config.ssh(), baseUrl);
        boolean meant = config.ssh().host() != null || !config.driver().equals(AUTO);
        if (meant && !config.driver().equals(NONE) && isLoopback(config.ssh().listen()) && !isLoopback(told)) {
            doubts.add(
                    "/sandboxes/ssh/listen",
                    "clients are told to connect to " + told + ", and the ports are on "
                            + config.ssh().listen() + " alone",
                    "an address that they reach, unless something forwards to this one");
        }
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.equals("::1") || host.matches("127(\\.[0-9]{1,3}){3}");
    }

    private static boolean isAddress(String text) {
        try {
            return text.indexOf('/') < 0 && !IpRange.parse(text).toString().isEmpty();
        } catch (InvalidPatternException e) {
            return false;
        }
    }

    private static Map<String, VmDriverFactory> factories() {
        Map<String, VmDriverFactory> known = new TreeMap<>();
        ServiceLoader.load(VmDriverFactory.class, SandboxParts.class.getClassLoader())
                .forEach(factory -> known.put(factory.name(), factory));
        return known;
    }

    /** Those that are offered. */
    private static String names() {
        Set<String> names = new TreeSet<>(factories().keySet());
        names.add(AUTO);
        if (names.remove(SANDBOXD)) {
            names.addAll(OF_SANDBOXD);
        }
        return String.join(", ", names);
    }

    private static boolean isSubnet(IpRange range) {
        return range.v4() && range.prefixLength() >= 8 && range.prefixLength() <= 29;
    }

    /** Whether its addresses can be those of machines; it is at least a /8. */
    private static boolean isRoutable(IpRange range) {
        int first = Integer.parseInt(range.toString().replaceAll("\\..*", ""));
        return first != 127 && first < 224;
    }

    private static boolean isRange(String text) {
        Matcher matcher = PORTS.matcher(text);
        return matcher.matches()
                && Integer.parseInt(matcher.group(1)) <= Integer.parseInt(matcher.group(2))
                && Integer.parseInt(matcher.group(2)) <= LAST_PORT;
    }

    /** Finds and makes the driver. Blocks. */
    static SandboxParts of(SandboxConfig config, @Nullable String baseUrl) throws ConfigException {
        return new SandboxParts(driver(config), settings(config, baseUrl), AgentParts.settings(config.agents()));
    }

    /** One that does nothing, for commands that only open the database. */
    static SandboxParts off(SandboxConfig config) {
        return new SandboxParts(
                new NoDriver("commands run no sandboxes"),
                settings(config, null),
                AgentParts.settings(config.agents()));
    }

    private static VmDriver driver(SandboxConfig config) throws ConfigException {
        Map<String, VmDriverFactory> known = factories();
        boolean automatic = config.driver().equals(AUTO);
        boolean bySandboxd = isBySandboxd(config);
        VmDriverFactory factory = known.get(bySandboxd ? SANDBOXD : config.driver());
        if (factory == null && automatic) {
            return new NoDriver("sandboxd is not part of this program (driver auto)");
        }
        if (factory == null) {
            throw new ConfigException(
                    "/sandboxes/driver", "no driver " + config.driver() + " is part of this program", names());
        }
        try {
            return factory.create(bySandboxd ? ofSandboxd(config) : config.settings());
        } catch (VmException e) {
            throw new ConfigException("/sandboxes", e.getMessage(), "settings that the driver takes").causedBy(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConfigException("/sandboxes", "the start was interrupted", "none").causedBy(e);
        }
    }

    /** Whoever asks for virtual machines is given no containers. */
    private static Map<String, String> ofSandboxd(SandboxConfig config) {
        String socket = config.socket().toString();
        return config.driver().equals(QEMU) ? Map.of("socket", socket, "driver", QEMU) : Map.of("socket", socket);
    }

    private static SandboxSettings settings(SandboxConfig config, @Nullable String baseUrl) {
        SandboxConfig.Size size = config.size();
        Matcher ports = PORTS.matcher(config.ssh().ports());
        if (!ports.matches()) {
            throw new IllegalArgumentException("ports: " + config.ssh().ports());
        }
        return new SandboxSettings(
                new ImageName(config.image()),
                new VmLimits(
                        size.memory().bytes(),
                        size.cpuMillis(),
                        size.processes(),
                        size.disk().bytes()),
                vms(config.limits()),
                new SandboxSettings.SnapshotQuota(
                        config.limits().snapshotsPerAccount(),
                        config.limits().snapshotStoragePerAccount().bytes()),
                config.creations(),
                config.bootTimeout(),
                config.stopGrace(),
                config.limits().idleStop(),
                config.limits().timeToLive(),
                subnet(config.subnet()),
                new SandboxSettings.Ssh(
                        config.ssh().listen(),
                        Integer.parseInt(ports.group(1)),
                        Integer.parseInt(ports.group(2)),
                        host(config.ssh(), baseUrl),
                        config.ssh().connectionsPerVm()));
    }

    private static SandboxSettings.VmQuota vms(SandboxConfig.Bounds limits) {
        return new SandboxSettings.VmQuota(
                limits.perAccount(),
                bytes(limits.memoryPerAccount()),
                number(limits.cpuMillisPerAccount()),
                number(limits.processesPerAccount()),
                bytes(limits.diskPerAccount()));
    }

    private static @Nullable Long bytes(@Nullable ByteSize size) {
        return size == null ? null : (Long) size.bytes();
    }

    private static @Nullable Long number(@Nullable Integer number) {
        return number == null ? null : (Long) number.longValue();
    }

    private static SandboxSettings.Subnet subnet(IpRange range) {
        String address = range.toString().replaceAll("/.*", "");
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
        bytes.putInt(0);
        for (String part : address.split("\\.", -1)) {
            bytes.put((byte) Integer.parseInt(part));
        }
        return new SandboxSettings.Subnet(bytes.getLong(0), range.prefixLength());
    }

    /** As SSH has it: without brackets; a name with {@code _} in it is none for {@link URI#getHost}. */
    private static String host(URI uri) {
        String host = uri.getHost() != null
                ? uri.getHost()
                : String.valueOf(uri.getRawAuthority()).replaceAll("^.*@|:[0-9]*$", "");
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private static String host(SandboxConfig.Ssh ssh, @Nullable String baseUrl) {
        if (ssh.host() != null) {
            return ssh.host();
        }
        if (baseUrl != null) {
            return host(URI.create(baseUrl));
        }
        return ssh.listen().equals("0.0.0.0") || ssh.listen().equals("::") ? "localhost" : ssh.listen();
    }
}
