# The tool server, sp-run and their three users on top of any image that has bash, tar, find and python3.
ARG BASE
FROM ${BASE}
USER 0:0
COPY --chown=0:0 server/ /usr/local/lib/skillproof/
RUN set -eu; cd /usr/local/lib/skillproof; \
    for tool in bash tar find chmod python3; do \
      command -v "$tool" > /dev/null || { echo "the image lacks $tool, which the tool server needs" >&2; exit 1; }; \
    done; \
    python3 -m compileall -q .; \
    if command -v gcc > /dev/null; then gcc -shared -fPIC -O2 -o preloaded.so preloaded.c || echo 'no preloaded.so'; fi; \
    rm -rf /workspace; mkdir -m 0755 /workspace; chown 1000:1000 /workspace; \
    sed -i "1s|.*|#!$(command -v python3) -IS|" sp-run; \
    mkdir -p /usr/local/bin; mv sp-run /usr/local/bin/sp-run; \
    chmod 0755 /usr/local/bin/sp-run; chmod -R a+rX,go-w .; \
    for group in agent:x:1000: grader:x:1001:; do \
      grep -q "^[^:]*:[^:]*:$(echo "$group" | cut -d: -f3):" /etc/group || echo "$group" >> /etc/group; \
    done; \
    for user in agent:x:1000:1000::/tmp/home:/bin/bash grader:x:1001:1001::/tmp/grader:/bin/bash \
        candidate:x:1002:1000::/tmp/candidate:/bin/bash; do \
      grep -q "^[^:]*:[^:]*:$(echo "$user" | cut -d: -f3):" /etc/passwd || echo "$user" >> /etc/passwd; \
    done; \
    printf '[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n[user]\n\tname = agent\n\temail = agent@localhost\n' >> /etc/gitconfig; \
    if command -v dpkg-query > /dev/null; then dpkg-query -W > installed.txt; else : > installed.txt; fi
ENTRYPOINT []
CMD ["python3", "-I", "-S", "-B", "/usr/local/lib/skillproof/toolserver.py", "agent", "86400"]
