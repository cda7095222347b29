# A base of Debian bookworm, however it was made, brought to exactly the packages of packages.txt and what they need.
ARG BASE
FROM ${BASE}
COPY packages.txt /usr/local/lib/skillproof/packages.txt
RUN set -eu; export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8; \
    printf 'path-exclude=/usr/share/%s\n' 'man/*' 'info/*' 'locale/*/LC_MESSAGES/*' 'doc/*' > /etc/dpkg/dpkg.cfg.d/skillproof; \
    echo 'path-include=/usr/share/doc/*/copyright' >> /etc/dpkg/dpkg.cfg.d/skillproof; \
    packages="$(sed 's/#.*//' /usr/local/lib/skillproof/packages.txt)"; \
    apt-get update -qq; \
    apt-get dist-upgrade -qqy --no-install-recommends > /dev/null; \
    apt-get install -qqy --no-install-recommends $packages > /dev/null; \
    apt-mark -qq auto $(dpkg-query -W -f '${Package} ') > /dev/null; \
    apt-mark -qq manual $packages > /dev/null; \
    apt-get autoremove -qqy --purge -o APT::AutoRemove::RecommendsImportant=false > /dev/null; \
    for name in en_US de_DE tr_TR ja_JP; do localedef -i "$name" -f UTF-8 "$name.UTF-8"; done; \
    # Every command runs in C.UTF-8: from the archive its locale loads in a third of the time.
    localedef --add-to-archive /usr/lib/locale/C.utf8; \
    find /usr/share/doc -type f ! -name copyright -delete; \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* /usr/share/man/* /usr/share/info/* /tmp/*
