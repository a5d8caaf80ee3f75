package io.loligo.server.tls;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The words about TLS of one line: of a port, a {@code cache_peer}, or {@code
 * tls_outgoing_options}. Immutable; equal if all words are.
 *
 * @param certificates own key pairs, in the order of the line
 * @param versions the versions that may be negotiated; at least one
 * @param suites the cipher suites of TLS 1.2, by their IANA names, in order of preference. TLS 1.3
 *     has its own, which no word chooses
 * @param caFiles {@code cafile=}: files of authorities
 * @param caPath {@code capath=}: a folder of such files, or null
 * @param crlFile {@code crlfile=}: lists of revoked certificates, or null
 * @param flags {@code flags=}
 * @param tickets whether sessions may be resumed by tickets
 * @param defaultCa whether the authorities of the system are trusted; null: not said
 */
public record TlsOptions(
    List<CertificateFiles> certificates,
    Set<TlsVersion> versions,
    List<String> suites,
    List<String> caFiles,
    @Nullable String caPath,
    @Nullable String crlFile,
    Set<TlsFlag> flags,
    boolean tickets,
    @Nullable Boolean defaultCa) {
  /** The options of a line without words about TLS. */
  public static final TlsOptions DEFAULT = builder().build();

  /** Begins those of a line without words about TLS. */
  public static Builder builder() {
    return new Builder();
  }

  /** The same without key pairs. */
  public TlsOptions withoutCertificates() {
    return builder()
        .versions(versions)
        .suites(suites)
        .caFiles(caFiles)
        .caPath(caPath)
        .crlFile(crlFile)
        .flags(flags)
        .tickets(tickets)
        .defaultCa(defaultCa)
        .build();
  }

  /** Names of the versions, the newest first. */
  public String[] protocols() {
    return versions.stream()
        .sorted((one, other) -> other.compareTo(one))
        .map(TlsVersion::protocol)
        .toArray(String[]::new);
  }

  /** By hand: that of a record makes classes when it is first called, which is at each start. */
  @Override
  public int hashCode() {
    return Objects.hash(
        certificates, versions, suites, caFiles, caPath, crlFile, flags, tickets, defaultCa);
  }

  /** Whether a flag is set. */
  public boolean has(TlsFlag flag) {
    return flags.contains(flag);
  }

  /** Whether a fault of a peer's certificate does not count at all. */
  public boolean tolerates(TlsFault fault) {
    return has(TlsFlag.DONT_VERIFY_PEER)
        || (fault == TlsFault.DOMAIN_MISMATCH && has(TlsFlag.DONT_VERIFY_DOMAIN));
  }

  /** Whether sessions may be resumed. */
  public boolean resumes() {
    return tickets && !has(TlsFlag.NO_SESSION_REUSE);
  }

  /** Whether the authorities of the system are trusted; {@code otherwise} where no word says so. */
  public boolean trustsSystem(boolean otherwise) {
    return !has(TlsFlag.NO_DEFAULT_CA) && (defaultCa == null ? otherwise : defaultCa);
  }

  /** Collects the words of a line. Confined to one thread. */
  public static final class Builder {
    private List<CertificateFiles> certificates = List.of();
    private Set<TlsVersion> versions = Set.of(TlsVersion.values());
    private List<String> suites = CipherSuite.defaults();
    private List<String> caFiles = List.of();
    private @Nullable String caPath;
    private @Nullable String crlFile;
    private Set<TlsFlag> flags = Set.of();
    private boolean tickets = true;
    private @Nullable Boolean defaultCa;

    private Builder() {}

    /** See {@link TlsOptions#certificates}. */
    public Builder certificates(List<CertificateFiles> certificates) {
      this.certificates = certificates;
      return this;
    }

    /** See {@link TlsOptions#versions}. */
    public Builder versions(Set<TlsVersion> versions) {
      this.versions = versions;
      return this;
    }

    /** See {@link TlsOptions#suites}. */
    public Builder suites(List<String> suites) {
      this.suites = suites;
      return this;
    }

    /** See {@link TlsOptions#caFiles}. */
    public Builder caFiles(List<String> caFiles) {
      this.caFiles = caFiles;
      return this;
    }

    /** See {@link TlsOptions#caPath}. */
    public Builder caPath(@Nullable String caPath) {
      this.caPath = caPath;
      return this;
    }

    /** See {@link TlsOptions#crlFile}. */
    public Builder crlFile(@Nullable String crlFile) {
      this.crlFile = crlFile;
      return this;
    }

    /** See {@link TlsOptions#flags}. */
    public Builder flags(Set<TlsFlag> flags) {
      this.flags = flags;
      return this;
    }

    /** See {@link TlsOptions#tickets}. */
    public Builder tickets(boolean tickets) {
      this.tickets = tickets;
      return this;
    }

    /** See {@link TlsOptions#defaultCa}. */
    public Builder defaultCa(@Nullable Boolean defaultCa) {
      this.defaultCa = defaultCa;
      return this;
    }

    /** The options with the words so far. */
    public TlsOptions build() {
      return new TlsOptions(
          certificates, versions, suites, caFiles, caPath, crlFile, flags, tickets, defaultCa);
    }
  }
}
